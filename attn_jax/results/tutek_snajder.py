"""From the frame of examples to the records that answer Tutek & Snajder (2020), and our own beside them.

F1 and its drops in percent, mutual information in nats, as the paper prints them.
"""

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from attn_jax.results import aggregate, measure
from attn_jax.results.aggregate import Summary
from attn_jax.results.records import Record

PAPER = "tutek_snajder_2020"
ATTENTIONS = ("additive", "dot")  # the paper's
ALTERED = ("uniform", "permuted")
SAMPLES = ("most_frequent", "random_sample")  # of words: the paper's MF and RS

# The fields of a key that a statistic adds to the run's identity, and the statistic.
Keyed = tuple[dict[str, Any], Summary]


@dataclasses.dataclass(frozen=True)
class Cell:
    """What was run, in the words of the published keys."""

    dataset: str
    attention: str
    variant: str
    layers: int = 1
    caveat: str = ""  # what differs from the published set-up; stands in every record
    probe: str = ""  # what is tried that no published cell is held against

    @property
    def called(self) -> str:
        """The variant in every record, with what is tried on it."""
        return "_".join(filter(None, (self.variant, self.probe)))

    @property
    def encoder(self) -> str:
        """Table 6 tells its encoders by their layers; one layer is the BiLSTM of all other tables."""
        return "bilstm" if self.layers == 1 else f"bilstm_{self.layers}_layers"

    @property
    def name(self) -> str:
        """The run's name in every record."""
        return "-".join((self.dataset, self.encoder, self.attention, self.called))

    def records(self, statistics: Iterator[Keyed], part: str = "") -> list[Record]:
        """The statistics as records of this cell; `part` tells runs of the same cell apart."""
        identity = {name: getattr(self, name) for name in ("dataset", "encoder", "attention", "caveat")}
        identity |= {"variant": self.called, "run": f"{self.name}-{part}" if part else self.name}
        found = ((self._own(key), summary) for key, summary in statistics)
        return [Record(**identity, **key, **dataclasses.asdict(summary)) for key, summary in found]

    def _own(self, key: dict[str, Any]) -> dict[str, Any]:
        """The key without its place in the paper, if the paper has no such model."""
        if self.attention in ATTENTIONS and not self.probe:
            return key
        return {name: value for name, value in key.items() if name not in ("paper", "table")}


def records_of(
    frame: pl.DataFrame,
    cell: Cell,
    *,
    information: Sequence[Mapping[str, Any]] = (),
    strength: float | None = None,
    split: str = "test",
) -> list[Record]:
    """Every record of one cell: Tables 1, 2, 3, or with more layers Table 6, then our own.

    `information` has a row a seed and sample of words: sample, seed, nats, tokens. `strength` is the
    regulariser's delta or eta, None where it has none.
    """
    frame = frame.filter(pl.col("split") == split)

    def statistics() -> Iterator[Keyed]:
        table = "table1" if cell.layers == 1 else "table6"
        for metric, summary in performance(frame).items():
            yield {"paper": PAPER, "table": table, "metric": metric}, summary
        yield from _information(information)
        yield from _probability(frame)
        yield from _own(frame)
        if strength is not None:
            yield {"metric": "strength"}, over_seeds([strength], n=frame.height)

    return cell.records(statistics())


def performance(frame: pl.DataFrame) -> dict[str, Summary]:
    """Table 1: F1 with the trained attention, and what it loses with another, in percent."""
    labels = labels_of(frame)
    found = {"f1_trained": measure.f1(frame, labels)}
    found |= {f"f1_drop_{name}": _drop(frame, f"prediction_{name}", labels) for name in ALTERED}
    return {metric: _percent(summary) for metric, summary in found.items()}


def labels_of(frame: pl.DataFrame) -> list[int]:
    """The classes whose F1 counts.

    Class 1 where there are two: with a mean over classes no F1 could fall to 0, as theirs do.
    """
    return [1] if len(frame["probabilities"][0]) == 2 else sorted({*frame["gold"], *frame["prediction"]})


def _drop(frame: pl.DataFrame, altered: str, labels: Sequence[int]) -> Summary:
    """F1 of the altered predictions minus that of the model's own: below 0 where it loses."""
    gold = frame["gold"].to_numpy()
    numbers = [
        aggregate.outcomes(gold, frame[column].to_numpy(), label)
        for column in (altered, "prediction")
        for label in labels
    ]

    def difference(means: np.ndarray) -> np.ndarray:
        scores = aggregate.f1(means.reshape(*means.shape[:-1], 2, len(labels), 3)).mean(axis=-1)
        return scores[..., 0] - scores[..., 1]

    return measure.of_means(frame, np.concatenate(numbers, axis=1), difference)


def _information(rows: Sequence[Mapping[str, Any]]) -> Iterator[Keyed]:
    """Table 2 in nats, and in bits beside it."""
    for sample in SAMPLES:
        chosen = [row for row in rows if row["sample"] == sample]
        if not chosen:
            continue
        nats = over_seeds([row["nats"] for row in chosen], n=sum(row["tokens"] for row in chosen))
        metric = f"mutual_information_{sample}"
        yield {"paper": PAPER, "table": "table2", "metric": metric}, nats
        yield {"metric": f"{metric}_bits"}, scaled(nats, 1 / math.log(2))


def _probability(frame: pl.DataFrame) -> Iterator[Keyed]:
    """Table 3: the predicted class's probability at each token, over correctly classified instances."""
    right = frame.filter(pl.col("gold") == pl.col("prediction"))
    key = {"paper": PAPER, "table": "table3", "metric": "per_token_probability"}
    yield from _defined(key, measure.mean(right, pl.col("token_probability")))
    confidence = pl.col("probabilities").list.get(pl.col("prediction"))
    yield from _defined({"metric": "predicted_probability_mean"}, measure.mean(right, confidence))


def _own(frame: pl.DataFrame) -> Iterator[Keyed]:
    expressions = {
        "accuracy": pl.col("gold") == pl.col("prediction"),
        "attention_entropy_mean": pl.col("attention_entropy"),
        "max_attention_mean": pl.col("max_attention"),
        **{f"{name}_tvd_mean": pl.col(f"tvd_{name}") for name in ALTERED},
        **{f"{name}_flip_share": pl.col(f"prediction_{name}") != pl.col("prediction") for name in ALTERED},
    }
    for metric, value in expressions.items():
        yield from _defined({"metric": metric}, measure.mean(frame, value))


def over_seeds(values: Sequence[float], *, n: int) -> Summary:
    """The mean of one number a seed, with its spread and bootstrap over seeds; `n` stands behind it."""
    numbers = np.asarray(values, float)
    rows = aggregate.Rows(numbers[:, None], np.arange(len(numbers)), np.zeros(len(numbers), int))
    found = aggregate.of_means(rows, lambda means: means[..., 0], np.random.default_rng(0))
    if len(numbers) == 1:
        return Summary(found.value, None, n, 1, None, None, "")
    return dataclasses.replace(found, n=n)


def scaled(summary: Summary, factor: float) -> Summary:
    """The same statistic in another unit."""
    values = {name: getattr(summary, name) for name in ("value", "std", "ci_low", "ci_high")}
    return dataclasses.replace(
        summary, **{name: None if v is None else factor * v for name, v in values.items()}
    )


def _percent(summary: Summary) -> Summary:
    return scaled(summary, 100.0)


def _defined(key: dict[str, Any], summary: Summary | None) -> Iterator[Keyed]:
    if summary is not None:
        yield key, summary
