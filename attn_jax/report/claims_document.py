"""The papers' claims, each with its line, the figures behind it and both verdicts."""

import math
from collections.abc import Sequence

from attn_jax.report import grid, numbers, paper_names
from attn_jax.report.grid import Column, Document, Footnotes, Grid
from attn_jax.results import claims
from attn_jax.results.claim import EVERYTHING, Claim, Condition, Finding, Judgement, Verdict
from attn_jax.results.estimate import Estimate
from attn_jax.results.facts import decimal
from attn_jax.results.figures import Subject

_LEAD = (
    "Each claim is first put to the figures that the paper itself prints, then to ours. It holds where the "
    "whole 95\u00a0% interval lies on its side of the line, does not hold where the whole of it lies on the "
    "other, and is undecided where the interval crosses the line; printed figures without a spread have no "
    "interval. The papers' words seldom name a number: the lines are ours.",
    "Claims about adversaries hold only beyond the null, in which the words' contributions are shuffled. A "
    "figure that fails its own line is marked ✗, one that crosses it with a question mark. Intervals of "
    "differences between two runs treat them as independent, except where both were judged on the same "
    "instances and their difference was recorded (Tutek & Šnajder's models). Quick runs and generated data "
    "decide nothing.",
)
_UNKNOWN = {"published": "not printed", "ours": "not run"}
_MARKS: dict[Verdict, str] = {"holds": "", "does not hold": " ✗", "undecided": " ?", "unknown": ""}


def document(judged: Sequence[tuple[Claim, list[Judgement]]]) -> Document:
    """A summary, then a table a claim."""
    grids = [_summary(judged), *(_table(claim, made) for claim, made in judged)]
    return Document("claims", "Which claims hold", _LEAD, tuple(grids))


def _summary(judged: Sequence[tuple[Claim, list[Judgement]]]) -> Grid:
    names = grid.columns(("Claim", "Paper"), (), ("On the published figures", "On ours"))
    rows = tuple(
        (
            claim.sentence,
            paper_names.name(claim.paper),
            claims.overall([one.published for one in made], _UNKNOWN["published"]),
            claims.overall([one.ours for one in made], _UNKNOWN["ours"]),
        )
        for claim, made in judged
    )
    return Grid("Summary", "One claim a row; the numbers count data sets and models.", names, rows)


def _table(claim: Claim, made: Sequence[Judgement]) -> Grid:
    footnotes = Footnotes()
    rows = tuple(_row(one, footnotes) for one in made)
    nothing = "" if rows else " Not printed and not run."
    note = f"{paper_names.name(claim.paper)}, {claim.place}. {_legend(claim)}{nothing}"
    return Grid(claim.sentence, note, _columns(claim), rows, footnotes.texts).trimmed()


def _legend(claim: Claim) -> str:
    """What each lettered figure is and where it must lie."""
    parts = [
        f"({letter}) {condition.name}: {_line(condition)}"
        for letter, condition in zip(_letters(claim), claim.conditions, strict=True)
    ]
    return "; ".join(parts) + "."


def _letters(claim: Claim) -> str:
    return "abcdefgh"[: len(claim.conditions)]


def _line(condition: Condition) -> str:
    low, high = condition.region.low, condition.region.high
    ends = [decimal(end, max(2, condition.digits)) for end in (low, high)]
    if math.isfinite(low) and math.isfinite(high):
        return f"between {ends[0]} and {ends[1]}"
    if math.isfinite(low):
        return f"above {ends[0]}" if condition.region.open else f"at least {ends[0]}"
    return f"below {ends[1]}" if math.isfinite(high) else "for comparison"


def _columns(claim: Claim) -> tuple[Column, ...]:
    figures = [f"({letter}) {who}" for who in ("published", "ours") for letter in _letters(claim)]
    subject = ("Data set", "Encoder", "Attention", "Variant")
    return (
        *grid.columns(subject, figures),
        *grid.columns((), ("n",), ("On the published figures", "On ours")),
        *grid.columns(("Exception", "Caveat"), ()),
    )


def _row(one: Judgement, footnotes: Footnotes) -> tuple[str, ...]:
    known = [figure for figure in one.ours.figures if figure is not None]
    caveats = [caveat for figure in known for caveat in figure.caveats]
    sizes = [figure.n for figure in known if figure.n is not None]
    return (
        *_subject(one.subject),
        *_figures(one.claim, one.published),
        *_figures(one.claim, one.ours),
        f"{min(sizes):,}" if sizes else "",
        _verdict(one.published, "published"),
        _verdict(one.ours, "ours"),
        footnotes.refer([one.claim.exception(one.subject)]),
        footnotes.refer(caveats),
    )


def _subject(subject: Subject) -> tuple[str, ...]:
    return ("mean of all", "", "", "") if subject == EVERYTHING else tuple(subject)


def _figures(claim: Claim, finding: Finding) -> tuple[str, ...]:
    pairs = zip(claim.conditions, finding.figures, strict=True)
    return tuple(_figure(condition, figure, finding.subjects) for condition, figure in pairs)


def _figure(condition: Condition, figure: Estimate | None, subjects: int) -> str:
    if figure is None:
        return ""
    mark = _MARKS[condition.region.verdict(figure)] if condition.region.judges else ""
    of = f" (mean of {subjects})" if subjects > 1 else ""
    return numbers.bracketed(figure, condition.digits) + of + mark


def _verdict(finding: Finding, who: str) -> str:
    return _UNKNOWN[who] if finding.verdict == "unknown" else finding.verdict
