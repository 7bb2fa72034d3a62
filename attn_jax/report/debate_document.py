"""The verdict table of the debate as a document: a summary of each test, its limits below."""

from collections.abc import Sequence

from attn_jax.report import grid, numbers
from attn_jax.report.grid import Document, Footnotes, Grid
from attn_jax.results.debate import Ask, Row
from attn_jax.results.estimate import Estimate

_LEAD = (
    "One model, every test. Each row says what was asked, what came out with its 95\u00a0% bootstrap "
    "interval, the number of instances over all seeds, the null (the same statistic where there is nothing "
    "to find) and the ceiling (where all has been found), and which paper would have predicted it. A side "
    "is named only if the whole interval lies beyond its line, and only of a model that is better than the "
    "largest class; the lines are ours.",
)
NOT_COVERED = (
    "Learned rationales (Lei et al. 2016; Bastings et al. 2019) and DiffMask (De Cao et al. 2020) are not "
    "covered: they train another model to choose the tokens, which none of these tests does.",
    "Whether attention is a cause of the prediction is not settled by any intervention made here (Grimsley "
    "et al. 2020): attention is changed, the computation before it is not.",
    "Every erasure shows the model an input or an attention that it was not trained on.",
)


def document(rows: Sequence[Row], unanswered: Sequence[Ask], title: str) -> Document:
    """The whole verdict; `title` names the model."""
    grids = [_table(rows), _limits(unanswered)]
    return Document("debate", f"Is attention an explanation? {title}", _LEAD, tuple(grids))


def _table(rows: Sequence[Row]) -> Grid:
    footnotes = Footnotes()
    names = grid.columns(
        ("Test", "Asked", "Measured"),
        ("Came out", "n", "Seeds", "Null", "Ceiling"),
    ) + grid.columns(("Beside it", "Recalled, unverified", "As predicted by", "Lines", "Limits"), ())
    cells = tuple(_cells(row, footnotes) for row in rows)
    return Grid("Verdict", "", names, cells, footnotes.texts).trimmed()


def _cells(row: Row, footnotes: Footnotes) -> tuple[str, ...]:
    return (
        *(row.test, row.question, row.measure),
        figure(row),
        *(numbers.count(row.n), numbers.count(row.seeds)),
        *("" if value is None else numbers.number(value, digits=3) for value in (row.null, row.ceiling)),
        *(row.beside, row.recalled, row.predicted_by, row.lines),
        footnotes.refer([*row.limits, row.caveat]),
    )


def figure(row: Row) -> str:
    """0.410 [0.380, 0.440]."""
    low = row.value if row.ci_low is None else row.ci_low
    high = row.value if row.ci_high is None else row.ci_high
    return numbers.bracketed(Estimate(row.value, low, high), 3)


def limits(unanswered: Sequence[Ask]) -> list[str]:
    """What was not asked of this model, then what no test here can say."""
    return [f"Not asked of this model: {ask.question} It needs {ask.needs}." for ask in unanswered] + [
        *NOT_COVERED
    ]


def _limits(unanswered: Sequence[Ask]) -> Grid:
    rows = tuple((text,) for text in limits(unanswered))
    return Grid("Stated limits", "", grid.columns(("Limit",), ()), rows)
