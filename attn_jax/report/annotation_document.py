"""Figure 5 of Vashishth et al. (2019) as tables: what annotators said of us beside what theirs said."""

from collections.abc import Sequence

from attn_jax.report import grid, numbers
from attn_jax.report.grid import Document, Grid
from attn_jax.results import published
from attn_jax.results.annotation_scores import CELLS, KINDS
from attn_jax.results.records import Record

_WORDS = {
    "right_meaningful": ("right", "relevant"),
    "right_not_meaningful": ("right", "not relevant"),
    "wrong_meaningful": ("wrong", "relevant"),
    "wrong_not_meaningful": ("wrong", "not relevant"),
}


def document(records: Sequence[Record]) -> Document:
    """Confusion tables and agreement."""
    ours = {record.key(): record for record in records}
    printed = {row[:-2]: row[-2] for row in published.load().iter_rows()}
    grids = [_table(kind, records, ours, printed) for kind in KINDS]
    caveats = tuple(dict.fromkeys(record.caveat for record in records if record.caveat))
    return Document(
        "annotation",
        "Are the words of highest attention relevant?",
        (
            "Annotators saw the text, the prediction and its three words of highest attention, and answered "
            "whether these words are relevant to that prediction; whether it is right comes from the gold "
            "label. After section 4.4 and Figure 5 of Vashishth et al. (2019).",
            *caveats,
        ),
        tuple(one for one in (*grids, _agreement(records, printed)) if one.rows),
    )


def _table(kind: str, records: Sequence[Record], ours: dict, printed: dict) -> Grid:
    rows = []
    keys = {record.metric: record.key() for record in records if record.variant == kind}
    for cell in CELLS:
        if cell in keys:
            record = ours[keys[cell]]
            theirs = numbers.number(printed.get(keys[cell]), digits=1)
            rows.append((*_WORDS[cell], numbers.number(record.value, digits=1), theirs))
    judged = next((record.n for record in records if record.variant == kind), 0)
    columns = grid.columns(("Prediction", "Words"), ("Here, %", "Published, %"))
    return Grid(f"{kind.capitalize()} attention", f"{judged} judgements.", columns, tuple(rows))


def _agreement(records: Sequence[Record], printed: dict) -> Grid:
    rows = tuple(
        (numbers.number(record.value), numbers.number(printed.get(record.key())))
        for record in records
        if record.metric == "cohen_kappa"
    )
    note = "Cohen's kappa on relevance, the mean over pairs of annotators."
    return Grid("Agreement", note, grid.columns((), ("Here", "Published")), rows)
