"""From the frame of examples to the records that answer Jain & Wallace (2019), and our own beside them."""

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import polars as pl

from attn_jax.errors import UserError
from attn_jax.results import aggregate, measure, own_statistics
from attn_jax.results.aggregate import Summary
from attn_jax.results.records import Record

PAPER = "jain_wallace_2019"
Task = Literal["classification", "qa", "nli"]


@dataclasses.dataclass(frozen=True)
class Cell:
    """What was run, in the words of the published keys."""

    dataset: str
    encoder: str
    attention: str
    task: Task = "classification"
    variant: str = ""
    caveat: str = ""  # what differs from the published set-up; stands in every record


def records_of(
    frame: pl.DataFrame, cell: Cell, *, epsilon_grid: Sequence[float] = (), split: str = "test"
) -> list[Record]:
    """Every record of one run, over the rows of `split`; columns that the frame lacks are skipped.

    Statistics that the paper prints carry its key whether or not it prints this very cell, so that
    encoders and data sets stay comparable; `published.load()` joins those that it does.

    Raises:
        UserError: the frame holds no row of that split, or rows of several runs.
    """
    frame = frame.filter(pl.col("split") == split)
    if frame["run"].n_unique() != 1:
        raise UserError(
            f"the split {split} has rows of {frame['run'].n_unique()} runs where there must be one."
        )
    identity = {
        "dataset": cell.dataset,
        "encoder": cell.encoder,
        "attention": cell.attention,
        "variant": cell.variant,
        "caveat": cell.caveat,
        "run": frame["run"][0],
    }
    frame = own_statistics.with_adjusted(frame)
    statistics = [*_table1(frame, cell.task), *_table2(frame, cell.task), *_own(frame, epsilon_grid)]
    return [Record(**identity, **key, **dataclasses.asdict(summary)) for key, summary in statistics]


# The fields of a key that a statistic adds to the run's identity, and the statistic.
_Keyed = tuple[dict[str, Any], Summary]


def _table1(frame: pl.DataFrame, task: Task) -> Iterator[_Keyed]:
    """Performance: F1 of two classes, accuracy of questions, micro-F1 of inference.

    The paper says F1 without saying of what. We take the F1 of class 1, which is how Wiegreffe &
    Pinter (2019) read these figures when they reproduced them; macro F1 stands among our own
    statistics. Micro-F1 of one label an instance is the accuracy.
    """
    metric = {"classification": "f1", "qa": "accuracy", "nli": "micro_f1"}[task]
    key = {"paper": PAPER, "table": "table1", "metric": metric}
    if task != "classification":
        yield from _if_defined(key, measure.mean(frame, pl.col("gold") == pl.col("prediction")))
    elif _classes(frame) == 2:
        yield key, measure.f1(frame, [1])


def _table2(frame: pl.DataFrame, task: Task) -> Iterator[_Keyed]:
    """Kendall's tau of attention with gradients and leave-one-out, by predicted class (QA: over all)."""
    parts = [("", frame)]
    if task != "qa":
        labels = range(_classes(frame))
        parts = [(str(label), frame.filter(pl.col("prediction") == label)) for label in labels]
    for label, part in parts:
        for name in ("tau_gradient", "tau_loo"):
            key = {"paper": PAPER, "table": "table2", "label": label}
            significant = pl.col(f"{name}_p") <= aggregate.SIGNIFICANT
            yield from _if_defined(key | {"metric": f"{name}_mean"}, measure.mean(part, pl.col(name)))
            yield from _if_defined(
                key | {"metric": f"{name}_significant_fraction"}, measure.mean(part, significant)
            )


def _own(frame: pl.DataFrame, epsilon_grid: Sequence[float]) -> Iterator[_Keyed]:
    """Over all classes: our own statistics, macro F1, trends, and how many taus are undefined."""
    yield {"metric": "macro_f1"}, measure.f1(frame, sorted({*frame["gold"], *frame["prediction"]}))
    for metric, value in own_statistics.expressions(epsilon_grid).items():
        yield from _if_defined({"metric": metric}, measure.mean(frame, value))
    for metric, columns in own_statistics.TRENDS.items():
        yield from _if_defined({"metric": metric}, measure.spearman(frame, *columns))
    for name in own_statistics.PAIRS:
        if name in frame.columns:
            yield {"metric": f"{name}_undefined_count"}, _count(frame, frame[name].null_count())


def _count(frame: pl.DataFrame, count: int) -> Summary:
    """A count is what it is: no spread, no interval."""
    return Summary(float(count), None, frame.height, frame["seed"].n_unique(), None, None, "")


def _if_defined(key: dict[str, Any], summary: Summary | None) -> Iterator[_Keyed]:
    if summary is not None:
        yield key, summary


def _classes(frame: pl.DataFrame) -> int:
    """A sigmoid output is the pair (1-p, p), so two."""
    return len(frame["probabilities"][0])
