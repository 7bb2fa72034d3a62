"""Records as rows of a table, each beside the figure that the paper prints, if it prints one."""

import dataclasses
from collections.abc import Sequence

from attn_jax.report import numbers
from attn_jax.report.metric_names import describe
from attn_jax.results import published
from attn_jax.results.records import OURS, Record


@dataclasses.dataclass(frozen=True)
class Row:
    """One line, every cell as text; `source` says whose statistic it is."""

    name: str
    metric: str
    label: str
    source: str
    published: str
    ours: str
    difference: str
    interval: str
    n: str
    seeds: str
    caveat: str


def rows(records: Sequence[Record], labels: Sequence[str]) -> list[Row]:
    """A row a record, in the order of the records."""
    printed = {row[:-2]: row[-2:] for row in published.load().iter_rows()}
    return [_row(record, printed.get(record.key(), (None, None)), labels) for record in records]


def is_published(row: Row) -> bool:
    """Whether a paper prints this statistic (perhaps not of this very cell)."""
    return row.source != OURS


def _row(record: Record, printed: tuple[float | None, float | None], labels: Sequence[str]) -> Row:
    value, std = printed
    return Row(
        name=describe(record.metric),
        metric=record.metric,
        label=_class_name(record.label, labels),
        source=" ".join(filter(None, (record.paper, record.table))),
        published=numbers.number(value, std, digits=2),
        ours=numbers.number(record.value, record.std, digits=3),
        difference=numbers.NONE if value is None else numbers.signed(record.value - value),
        interval=numbers.interval(record),
        n=numbers.count(record.n),
        seeds=numbers.count(record.seeds),
        caveat=record.caveat,
    )


def _class_name(label: str, labels: Sequence[str]) -> str:
    """The class's name where the id is one of ours; ids in files are not to be trusted."""
    if label.isascii() and label.isdigit() and int(label) < len(labels):
        return labels[int(label)]
    return label or "all"
