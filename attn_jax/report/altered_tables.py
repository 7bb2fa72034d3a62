"""Vashishth et al.'s Tables 1 to 3 with our figures beside theirs, and what they do not print."""

from collections.abc import Mapping, Sequence

from attn_jax.report import grid, numbers
from attn_jax.report.grid import Footnotes, Grid
from attn_jax.report.regularised_tables import figure
from attn_jax.results import published
from attn_jax.results.records import OURS, Record
from attn_jax.results.vashishth import PAPER, TABLES, VARIANTS

Place = tuple[str, str]  # data set, model

SCORES = ("accuracy", "bleu")
COLUMNS = {
    "": "Natural",
    "uniform_train_infer": "Uniform T+I",
    "uniform_infer": "Uniform I",
    "random_train_infer": "Random T+I",
    "random_infer": "Random I",
    "permute_infer": "Permuted I",
}
_TITLES = {
    "single": "One text (Table 1)",
    "pair": "Two texts (Table 2)",
    "translation": "Translation (Table 3)",
}
_NOTE = (
    "Score in percent (BLEU for translation) with the spread over seeds; then the change, in points, of a "
    "model whose attention is altered in training and inference (T+I) or at inference alone (I). Published "
    "figures in brackets."
)
_OWN = {
    "max_attention_mean": "Max attention",
    "permutation_median_tvd_mean": "TVD, permuted",
    "permutation_median_tvd_when_peaked_mean": "same where peaked",
    "removed_delta_js_mean": "ΔJS",
    "removed_top_flip_share": "Top flips",
    "removed_other_flip_share": "Other flips",
    "gating_gap_mean": "Gating gap",
}


def grids(records: Sequence[Record]) -> list[Grid]:
    """The tables for which there are records."""
    made = [_table(_TITLES[kind], table, records) for kind, table in TABLES.items()]
    return [one for one in (*made, _further(records), _own(records)) if one.rows]


def _table(title: str, table: str, records: Sequence[Record]) -> Grid:
    printed = {row[:-2]: row[-2] for row in published.load().iter_rows()}
    places: dict[Place, dict[str, Record]] = {}
    for record in records:
        if record.paper == PAPER and record.table == table:
            places.setdefault(_place(record), {})[record.variant] = record
    footnotes = Footnotes()
    rows = tuple(
        (
            *place,
            *(figure(found.get(variant), printed) for variant in COLUMNS),
            footnotes.refer(record.caveat for record in found.values()),
        )
        for place, found in sorted(places.items())
    )
    columns = grid.columns(("Data set", "Model"), tuple(COLUMNS.values())) + grid.columns(("Caveat",), ())
    return Grid(title, _NOTE, columns, rows, footnotes.texts)


def _further(records: Sequence[Record]) -> Grid:
    """Alterations that the paper does not print: one level of a HAN, permuted in training."""
    rows = tuple(
        (*_place(record), record.variant.replace("_", " "), figure(record, {}))
        for record in sorted(records, key=lambda r: (*_place(r), r.variant))
        if record.paper == OURS
        and record.metric in [f"{score}_change" for score in SCORES]
        and record.variant not in VARIANTS
    )
    columns = grid.columns(("Data set", "Model", "Altered"), ("Change",))
    note = "Changes in points of alterations that the paper does not print."
    return Grid("Further alterations", note, columns, rows)


def _own(records: Sequence[Record]) -> Grid:
    places: dict[Place, Mapping[str, float]] = {}
    for record in records:
        if record.paper == OURS and record.metric in _OWN and not record.variant:
            places[_place(record)] = {**places.get(_place(record), {}), record.metric: record.value}
    rows = tuple(
        (*place, *(numbers.number(found.get(metric), digits=3) for metric in _OWN))
        for place, found in sorted(places.items())
    )
    note = (
        "Mean over test instances and seeds: the largest weight; the median change of the output over 100 "
        "permutations, also where the largest weight is at least a half; what zeroing the highest weight "
        "does to the output beyond a random one, and how often each changes the decision; and how far "
        "attention is from a gate that sees each word alone (Proposition 4.1: 0 for one text)."
    )
    return Grid("Behind the figures", note, grid.columns(("Data set", "Model"), tuple(_OWN.values())), rows)


def _place(record: Record) -> Place:
    return record.dataset, record.attention
