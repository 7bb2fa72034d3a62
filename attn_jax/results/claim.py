"""A sentence of a paper as a check: figures in, holds or does not hold out.

A condition holds where its whole interval lies in the region, does not hold where the whole of it
lies outside, and is undecided where the interval crosses the line. A claim holds if all of its
conditions do. The published figures go through the same check as ours.
"""

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from attn_jax.results import estimate
from attn_jax.results.estimate import Estimate
from attn_jax.results.figures import Figures, Subject

# "unknown": a figure that it needs is not printed, or was not run.
Verdict = Literal["holds", "does not hold", "undecided", "unknown"]
Measure = Callable[[Figures, Subject], Estimate | None]
_ROUNDING = 1e-9
EVERYTHING = Subject("all")  # the subject of a claim about a mean


@dataclasses.dataclass(frozen=True)
class Region:
    """Where the figure lies if the condition holds; an open one leaves out its ends."""

    low: float = -math.inf
    high: float = math.inf
    open: bool = True

    @property
    def judges(self) -> bool:
        """Whether any figure could fail; a condition that judges nothing is shown as context."""
        return math.isfinite(self.low) or math.isfinite(self.high)

    def verdict(self, figure: Estimate) -> Verdict:
        """Where the interval lies."""
        slack = -_ROUNDING if self.open else _ROUNDING
        if figure.low >= self.low - slack and figure.high <= self.high + slack:
            return "holds"
        outside = figure.high < self.low - slack or figure.low > self.high + slack
        return "does not hold" if outside else "undecided"


@dataclasses.dataclass(frozen=True)
class Condition:
    """One figure that a claim is decided on."""

    name: str
    measure: Measure
    region: Region = Region()
    digits: int = 2


@dataclasses.dataclass(frozen=True)
class Claim:
    """A sentence in our words, where the paper says it, and the conditions that decide it.

    `asked_of` picks the subjects, those of the paper's figures or of `named_by`'s where the paper prints
    none; a `pooled` claim is about the mean of its figures over all of them.
    `exceptions` are the paper's own: (fields of a subject, what the paper's figures say there).
    """

    name: str
    paper: str
    place: str
    sentence: str
    conditions: tuple[Condition, ...]
    asked_of: Callable[[Subject], bool]
    pooled: bool = False
    named_by: str = ""
    exceptions: tuple[tuple[dict[str, str], str], ...] = ()

    def exception(self, subject: Subject) -> str:
        """What the paper's own figures except, "" where nothing."""
        notes = [
            note
            for fields, note in self.exceptions
            if all(getattr(subject, name) == value for name, value in fields.items())
        ]
        return "; ".join(notes)


@dataclasses.dataclass(frozen=True)
class Finding:
    """The verdict of one source of figures, and the figure of each condition."""

    verdict: Verdict
    figures: tuple[Estimate | None, ...]
    subjects: int = 1  # how many a pooled figure is the mean of


@dataclasses.dataclass(frozen=True)
class Judgement:
    """A claim about one subject: what the published figures say and what ours say."""

    claim: Claim
    subject: Subject
    published: Finding
    ours: Finding


def judge(claim: Claim, printed: Figures, ours: Figures) -> list[Judgement]:
    """A judgement a subject that either source has figures for; none where nobody has any."""
    if claim.pooled:
        return [Judgement(claim, EVERYTHING, _pooled(claim, printed), _pooled(claim, ours))]
    known = dict.fromkeys([*_subjects(claim, printed), *_subjects(claim, ours)])
    made = (Judgement(claim, s, _finding(claim, printed, s), _finding(claim, ours, s)) for s in known)
    return [one for one in made if any((*one.published.figures, *one.ours.figures))]


def _subjects(claim: Claim, figures: Figures) -> Iterator[Subject]:
    known = figures.subjects(claim.named_by or claim.paper)
    return (subject for subject in known if claim.asked_of(subject))


def _finding(claim: Claim, figures: Figures, subject: Subject) -> Finding:
    measured = tuple(condition.measure(figures, subject) for condition in claim.conditions)
    return Finding(_verdict(claim.conditions, measured), measured)


def _pooled(claim: Claim, figures: Figures) -> Finding:
    """Over the subjects that have a figure of every condition, so that all means are of the same ones."""
    asked = ([c.measure(figures, subject) for c in claim.conditions] for subject in _subjects(claim, figures))
    known = [found for row in asked if len(found := [figure for figure in row if figure]) == len(row)]
    measured = tuple(estimate.mean(column) for column in zip(*known, strict=True))
    measured = measured or (None,) * len(claim.conditions)
    return Finding(_verdict(claim.conditions, measured), measured, len(known))


def _verdict(conditions: Sequence[Condition], measured: Sequence[Estimate | None]) -> Verdict:
    """The worst of the conditions that judge; unknown where one of them has no figure."""
    pairs = [(c, figure) for c, figure in zip(conditions, measured, strict=True) if c.region.judges]
    if any(figure is None for _, figure in pairs):
        return "unknown"
    verdicts = [c.region.verdict(figure) for c, figure in pairs if figure is not None]
    for worst in ("does not hold", "undecided"):
        if worst in verdicts:
            return worst
    return "holds"
