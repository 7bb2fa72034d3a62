"""The published tables with our figures beside each cell, and what share of them is reproduced."""

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from attn_jax.report import grid, numbers, paper_names
from attn_jax.report.grid import Document, Footnotes, Grid
from attn_jax.report.metric_names import describe
from attn_jax.results import fidelity, shares, tolerances
from attn_jax.results.fidelity import Cell
from attn_jax.results.shares import Share
from attn_jax.results.tolerances import COUNTS

_LEAD = (
    "Every figure that the papers print, beside ours. A cell is reproduced if ours lies within the tolerance "
    "of its metric. A share means something only above that of the best single constant, a figure that "
    "knows nothing of the cells and yet lies within tolerance of many; Spearman's correlation says whether "
    "ours are in the published order. Substitutes, quick runs and simulated data are never held against a "
    "published cell. Figures under other settings than the paper's (its released code's, or a probe of an "
    "explanation) stand beside the cell and judge nothing; those within its tolerance are marked ✓. Brackets "
    "and intervals are at 95\u00a0%."
)
_SHARES = grid.columns(
    ("Paper", "Metric", "Tolerance"),
    ("Reproduced", "Share", "Best constant", "Its share", "Spearman"),
    ("Above the constant",),
) + grid.columns((), ("Not comparable", "Not run"))
_SETTINGS = grid.columns(
    ("Paper", "Settings", "Data sets"), ("Cells", "Within tolerance", "At the paper's own settings")
)
# Settings that are more than a probe: how the authors' own code made models, where it differs from the paper.
_PRESETS = {"released": "the released code", "later": "code that the authors published later"}
_SIGNIFICANT = "significant fraction"  # of the means beside it: they judge the same figures once more
_SETTINGS_NOTE = "Of the cells that were also run under each setting, how many are within tolerance there."
_CELLS = (
    grid.columns(
        ("Data set", "Encoder", "Attention", "Variant", "Class", "Metric"),
        ("Published", "Ours", "Difference", "n", "Seeds"),
    )
    + grid.columns(("95 % interval",), (), ("Verdict",))
    + grid.columns(("Under other settings", "Why", "Caveat"), ())
)


def document(cells: Sequence[Cell], *, everything: bool = True) -> Document:
    """The shares, then a table a published table; with `everything` also the cells that were not run."""
    ran = {cell.field("paper") for cell in cells if cell.verdict != "not run"}
    made = [share for share in shares.shares(cells) if not ran or share.paper in ran]
    grids = [
        _shares("Shares", [share for share in made if share.group != COUNTS], _totals(cells)),
        *_presets(cells),
        _settings(cells),
        _shares("Counts of data", [share for share in made if share.group == COUNTS], ""),
    ]
    tables = itertools.groupby(cells, key=lambda cell: (cell.field("paper"), cell.field("table")))
    grids += [_table(*place, list(part), everything) for place, part in tables]
    grids = [made for made in grids if made.rows]
    return Document("fidelity", "Which published figures are reproduced", (_LEAD,), tuple(grids))


def _totals(cells: Sequence[Cell]) -> str:
    """One sentence a paper of which anything was judged, counts of data apart."""
    sentences = []
    for paper in dict.fromkeys(cell.field("paper") for cell in cells):
        own = [c for c in cells if c.judged and c.field("paper") == paper and not _is_count(c)]
        if own:
            bare = [cell for cell in own if cell.verdict == "not reproduced" and not cell.explained]
            tried = sum(bool(cell.reason) for cell in bare)
            so_far = f", for {tried} of which other settings were tried" if tried else ""
            sentences.append(
                f"{paper_names.name(paper)}: of {len(own)} cells that were run and can be compared, "
                f"{_tally(own)}; {len(bare)} of the others have no tested explanation yet{so_far}."
            )
    return " ".join(sentences) or "Nothing was run that can be compared."


def _presets(cells: Sequence[Cell]) -> Iterator[Grid]:
    """The shares again, of the cells that were run under the settings of the authors' code."""
    for setting, words in _PRESETS.items():
        other = [cell for cell in fidelity.under(cells, setting) if not _is_count(cell)]
        ran = {cell.field("paper") for cell in other if cell.judged}
        if ran:
            made = [share for share in shares.shares(other) if share.paper in ran and share.group != COUNTS]
            yield _shares(f"Shares under the settings of {words}", made, _preset_totals(other, ran))


def _preset_totals(cells: Sequence[Cell], papers: Iterable[str]) -> str:
    sentences = []
    for paper in sorted(papers):
        own = [cell for cell in cells if cell.judged and cell.field("paper") == paper]
        sentences.append(f"{paper_names.name(paper)}: of {len(own)} cells that were run so, {_tally(own)}.")
    return " ".join(sentences)


def _tally(cells: Sequence[Cell]) -> str:
    """How many are reproduced; where a paper has fractions of significant figures, also without these."""
    told = f"{_share_of(cells)} are reproduced"
    first = [cell for cell in cells if _group(cell) != _SIGNIFICANT]
    if not first or len(first) == len(cells):
        return told
    names = " and ".join(dict.fromkeys(str(_group(cell)) for cell in first))
    return f"{told} (of the {len(first)} of {names} {_share_of(first)})"


def _share_of(cells: Sequence[Cell]) -> str:
    good = sum(cell.verdict == "reproduced" for cell in cells)
    return f"{good} ({numbers.percent(good / len(cells))})"


def _settings(cells: Sequence[Cell]) -> Grid:
    """How each other setting fares on the cells it was run for, beside the paper's own on the same cells."""
    judged = [cell for cell in cells if cell.judged and not _is_count(cell)]
    tried = defaultdict(list)
    for cell in judged:
        for setting, record in cell.others:
            tried[cell.field("paper"), setting].append((cell, record))
    rows = tuple(
        (
            paper_names.name(paper),
            setting,
            ", ".join(sorted({cell.field("dataset") for cell, _ in held})),
            str(len(held)),
            str(sum(cell.holds(record) for cell, record in held)),
            str(sum(cell.verdict == "reproduced" for cell, _ in held)),
        )
        for (paper, setting), held in sorted(tried.items())
    )
    return Grid("Under other settings", _SETTINGS_NOTE, _SETTINGS, rows)


def _is_count(cell: Cell) -> bool:
    return _group(cell) == COUNTS


def _group(cell: Cell) -> str | None:
    rule = tolerances.rule(cell.field("paper"), cell.field("metric"))
    return rule.group if rule else None


def _shares(title: str, made: Sequence[Share], note: str) -> Grid:
    return Grid(title, note, _SHARES, tuple(_share_row(share) for share in made))


def _share_row(share: Share) -> tuple[str, ...]:
    reached = {True: "yes", False: "no", None: numbers.NONE}[share.beats_constant]
    return (
        "" if share.metric else paper_names.name(share.paper),
        f"of which: {describe(share.metric)}" if share.metric else share.group,
        "" if share.metric else share.tolerance,
        f"{share.counts['reproduced']} of {share.judged}",
        numbers.percent(share.share),
        numbers.NONE if share.constant is None else numbers.as_printed(share.constant, _digits(share)),
        numbers.percent(share.constant_share),
        numbers.number(share.spearman),
        reached,
        str(share.counts["not comparable"]),
        str(share.counts["not run"]),
    )


def _digits(share: Share) -> int:
    return 0 if share.group == COUNTS else 2


def _table(paper: str, table: str, cells: Sequence[Cell], everything: bool) -> Grid:
    shown = [cell for cell in cells if everything or cell.verdict != "not run"]
    footnotes = Footnotes()
    rows = tuple(_row(cell, footnotes) for cell in shown)
    counts = Counter(cell.verdict for cell in cells)
    note = "; ".join(f"{verdict}: {count}" for verdict, count in counts.items())
    made = Grid(paper_names.name(paper, table), note, _CELLS, rows, footnotes.texts)
    return made.trimmed()


def _row(cell: Cell, footnotes: Footnotes) -> tuple[str, ...]:
    key = tuple(cell.field(name) for name in ("dataset", "encoder", "attention", "variant", "label"))
    rule = tolerances.rule(cell.field("paper"), cell.field("metric"))
    digits = rule.digits if rule else 2
    spread = "" if cell.std is None else f" ± {numbers.as_printed(cell.std, digits)}"
    published = numbers.as_printed(cell.published, digits) + spread
    why = footnotes.refer([cell.reason])
    caveat = footnotes.refer([cell.record.caveat] if cell.record else [])
    return (
        *key,
        describe(cell.field("metric")),
        published,
        *_ours(cell, digits),
        cell.verdict,
        _others(cell, digits),
        why,
        caveat,
    )


def _others(cell: Cell, digits: int) -> str:
    """What came out under each other setting, ✓ where that is within tolerance."""
    return "; ".join(
        f"{setting} {numbers.as_printed(record.value, digits + 1)}{' ✓' * cell.holds(record)}"
        for setting, record in cell.others
    )


def _ours(cell: Cell, digits: int) -> tuple[str, ...]:
    """Figure, difference, n, seeds and interval; all empty where nothing was run."""
    record = cell.record
    if record is None:
        return ("",) * 5
    finer = digits + 1 if digits else 0
    return (
        numbers.as_printed(record.value, finer),
        numbers.signed(record.value - cell.published, max(digits, 1)),
        numbers.count(record.n),
        numbers.count(record.seeds),
        numbers.interval(record, max(finer, 1)),
    )
