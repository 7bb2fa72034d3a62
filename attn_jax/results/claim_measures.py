"""The figures that claims are about, as functions of a source of figures and a subject."""

from collections.abc import Mapping
from types import MappingProxyType

from attn_jax.results.claim import Measure
from attn_jax.results.estimate import Estimate
from attn_jax.results.figures import Figures, Subject
from attn_jax.results.records import OURS

_AS_IT_IS: Mapping[str, str] = MappingProxyType({})


def figure(paper: str, metric: str) -> Measure:
    """The figure that the paper prints of the subject itself."""
    return lambda figures, subject: figures.get(paper, subject, metric)


def own(metric: str) -> Measure:
    """A statistic of ours that no paper prints."""
    return figure(OURS, metric)


def over_classes(paper: str, metric: str) -> Measure:
    """A figure that the paper prints by class and we record over all: ours, or the classes together."""

    def measure(figures: Figures, subject: Subject) -> Estimate | None:
        return figures.get(OURS, subject, metric) or figures.over_classes(paper, subject, metric)

    return measure


def gap(
    measure: Measure, *, of: Mapping[str, str] = _AS_IT_IS, minus: Mapping[str, str] = _AS_IT_IS
) -> Measure:
    """The difference of two subjects' figures, each the subject with some fields replaced."""

    def difference(figures: Figures, subject: Subject) -> Estimate | None:
        mine = measure(figures, subject._replace(**of))
        theirs = measure(figures, subject._replace(**minus))
        return None if mine is None or theirs is None else mine.minus(theirs)

    return difference
