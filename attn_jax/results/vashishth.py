"""From the frame of examples to the records that answer Vashishth et al. (2019), and our own beside them.

Accuracy and its changes in percent, as the paper prints them; a change is the altered model's score minus
the natural one's, below 0 where alteration costs.
"""

import dataclasses
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import polars as pl

from attn_jax.results import measure
from attn_jax.results.aggregate import Summary
from attn_jax.results.own_statistics import LITTLE_TVD, PEAKED
from attn_jax.results.records import Record
from attn_jax.results.tutek_snajder import scaled

PAPER = "vashishth_2019"
# The alterations that the paper prints; others (permute_train_infer, one level of a HAN) are our own.
VARIANTS = (
    "uniform_train_infer",
    "uniform_infer",
    "random_train_infer",
    "random_infer",
    "permute_infer",
)
Kind = Literal["single", "pair", "translation"]
TABLES: dict[Kind, str] = {"single": "table1", "pair": "table2", "translation": "table3"}
_PREDICTION = "prediction_"

# The fields of a key that a statistic adds to the run's identity, and the statistic.
Keyed = tuple[dict[str, Any], Summary]


@dataclasses.dataclass(frozen=True)
class Cell:
    """What was run, in the words of the published keys: models stand in `attention`, `encoder` is empty."""

    dataset: str
    model: str
    kind: Kind
    caveat: str = ""  # what differs from the published set-up; stands in every record
    probe: bool = False  # a model that is not the paper's: answers no published cell

    @property
    def name(self) -> str:
        """The run's name in every record."""
        return f"{self.dataset}-{self.model}"

    def records(self, statistics: Iterator[Keyed]) -> list[Record]:
        """The statistics as records of this run."""
        identity = {
            "dataset": self.dataset,
            "attention": self.model,
            "caveat": self.caveat,
            "run": self.name,
        }
        return [Record(**identity, **key, **dataclasses.asdict(summary)) for key, summary in statistics]

    def printed(self, metric: str, variant: str = "") -> dict[str, Any]:
        """The key of a score in the paper's table, or of our own where the paper has no such row."""
        if self.probe or (variant and variant not in VARIANTS):
            return {"metric": metric, "variant": variant}
        return {"paper": PAPER, "table": TABLES[self.kind], "metric": metric, "variant": variant}


def records_of(frame: pl.DataFrame, cell: Cell, *, split: str = "test") -> list[Record]:
    """Every record of one run of Table 1 or 2, over the rows of `split`."""
    frame = frame.filter(pl.col("split") == split)

    def statistics() -> Iterator[Keyed]:
        right = measure.mean(frame, pl.col("gold") == pl.col("prediction"))
        assert right is not None
        yield cell.printed("accuracy"), scaled(right, 100.0)
        for variant in altered(frame):
            yield from _changes(frame, cell, variant)
        majority = pl.col("gold") == pl.col("gold").mode().min()
        yield from _defined({"metric": "majority_share"}, measure.mean(frame, majority))
        yield from behind_figures(frame)

    return cell.records(statistics())


def altered(frame: pl.DataFrame) -> list[str]:
    """The variants whose predictions stand in the frame."""
    return [name.removeprefix(_PREDICTION) for name in frame.columns if name.startswith(_PREDICTION)]


def _changes(frame: pl.DataFrame, cell: Cell, variant: str) -> Iterator[Keyed]:
    """Points lost, the same in percent of the natural score, and how often the decision is another."""
    yield cell.printed("accuracy_change", variant), accuracy_change(frame, variant)
    own, said = {"variant": variant}, pl.col(f"{_PREDICTION}{variant}")
    relative = measure.of_means(frame, _right(frame, variant), _relative)
    yield own | {"metric": "accuracy_relative_change"}, scaled(relative, 100.0)
    yield from _defined(own | {"metric": "flip_share"}, measure.mean(frame, said != pl.col("prediction")))
    yield from _defined(own | {"metric": "tvd_mean"}, measure.mean(frame, pl.col(f"tvd_{variant}")))


def accuracy_change(frame: pl.DataFrame, variant: str) -> Summary:
    """Points gained by a variant over the natural model on the same instances."""
    return scaled(measure.of_means(frame, _right(frame, variant), _difference), 100.0)


def _right(frame: pl.DataFrame, variant: str) -> np.ndarray:
    """Whether the variant is right, and whether the natural model is [M, 2]."""
    names = (f"{_PREDICTION}{variant}", "prediction")
    return np.stack([(frame[name] == frame["gold"]).to_numpy() for name in names], axis=1).astype(float)


def _difference(means: np.ndarray) -> np.ndarray:
    return means[..., 0] - means[..., 1]


def _relative(means: np.ndarray) -> np.ndarray:
    """0 where the natural model is never right."""
    natural = means[..., 1]
    return np.divide(_difference(means), natural, out=np.zeros_like(natural), where=natural > 0)


def behind_figures(frame: pl.DataFrame) -> Iterator[Keyed]:
    """What Figures 2 and 3 show, as numbers, and Proposition 4.1."""
    peaked, moved = pl.col("max_attention") >= PEAKED, pl.col("permutation_median_tvd")
    expressions = {
        "max_attention_mean": pl.col("max_attention"),
        "peaked_share": peaked,
        "permutation_median_tvd_mean": moved,
        "permutation_median_tvd_when_peaked_mean": pl.when(peaked).then(moved),
        "permutation_little_when_peaked_share": pl.when(peaked).then(moved < LITTLE_TVD),
        "removed_delta_js_mean": pl.col("removed_delta_js"),
        "removed_delta_js_when_above_half_mean": pl.when(pl.col("removed_delta_alpha") >= PEAKED).then(
            pl.col("removed_delta_js")
        ),
        "removed_top_flip_share": pl.col("removed_top_flips"),
        "removed_other_flip_share": pl.col("removed_other_flips"),
        "gating_gap_mean": pl.col("gating_gap"),
    }
    for metric, value in expressions.items():
        yield from _defined({"metric": metric}, measure.mean(frame, value))
    trend = measure.spearman(frame, "removed_delta_alpha", "removed_delta_js")
    yield from _defined({"metric": "removed_delta_alpha_delta_js_spearman"}, trend)


def _defined(key: dict[str, Any], summary: Summary | None) -> Iterator[Keyed]:
    if summary is not None:
        yield key, summary
