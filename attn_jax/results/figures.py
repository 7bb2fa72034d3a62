"""The figures that a claim is checked on, looked up in the same way whether printed or our own."""

import dataclasses
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from attn_jax.results import comparable, estimate, pool, published
from attn_jax.results.estimate import Estimate
from attn_jax.results.facts import bounds
from attn_jax.results.records import Record

_NORMAL = 1.96  # standard errors on each side of a 95 % interval


class Subject(NamedTuple):
    """Whose attention a claim is about, in the words of the published keys."""

    dataset: str
    encoder: str = ""
    attention: str = ""
    variant: str = ""


class _Name(NamedTuple):
    paper: str
    subject: Subject
    label: str
    metric: str


class Figures:
    """Estimates by paper, subject, class and metric; the table does not matter."""

    def __init__(self, named: Mapping[_Name, Estimate]) -> None:
        self._named = named

    def get(self, paper: str, subject: Subject, metric: str, label: str = "") -> Estimate | None:
        """The figure, None where there is none."""
        return self._named.get(_Name(paper, subject, label, metric))

    def over_classes(self, paper: str, subject: Subject, metric: str) -> Estimate | None:
        """The figure over all classes, or the mean of those by class, weighted by their instances."""
        whole = self.get(paper, subject, metric)
        parts = [
            figure
            for name, figure in self._named.items()
            if (name.paper, name.subject, name.metric) == (paper, subject, metric)
        ]
        if whole is not None or not parts or any(part.n is None for part in parts):
            return whole
        return estimate.mean(parts, [part.n or 0 for part in parts])

    def subjects(self, paper: str) -> list[Subject]:
        """Everything that this paper's figures are about, in order."""
        return list(dict.fromkeys(name.subject for name in self._named if name.paper == paper))


def printed() -> Figures:
    """The published figures.

    Where a standard deviation over instances and the size of the test set are printed, the interval is
    normal; a class's size is its gold one, as nothing else is printed. All others have no interval.
    """
    rows = list(published.load().iter_rows(named=True))
    sizes = {
        (row["paper"], row["dataset"], row["label"]): int(row["value"])
        for row in rows
        if row["metric"] == "test_size"
    }
    return Figures({_name(row): _printed(row, sizes) for row in rows})


def ours(found: Iterable[Record]) -> Figures:
    """Our own figures: of each key the best founded record, none that is barred from claims."""
    chosen = [record for record in pool.best(found).values() if not comparable.barred(record)]
    return Figures({_name(dataclasses.asdict(record)): _own(record) for record in chosen})


def _name(row: Mapping) -> _Name:
    return _Name(row["paper"], Subject(*(row[name] for name in Subject._fields)), row["label"], row["metric"])


def _printed(row: Mapping, sizes: Mapping[tuple[str, str, str], int]) -> Estimate:
    n, value = sizes.get((row["paper"], row["dataset"], row["label"])), row["value"]
    half = _NORMAL * row["std"] / n**0.5 if n and row["std"] else 0.0
    return Estimate(value, value - half, value + half, n)


def _own(record: Record) -> Estimate:
    return Estimate(record.value, *bounds(record), record.n, (record.caveat,) if record.caveat else ())
