"""One statistic from the frame of examples: an expression a row in, a summary out."""

import numpy as np
import polars as pl

from attn_jax.results import aggregate
from attn_jax.results.aggregate import Rows, Statistic, Summary

# Every statistic starts its own stream, so that adding one never changes another.
_BOOTSTRAP_SEED = 0


def mean(frame: pl.DataFrame, value: pl.Expr) -> Summary | None:
    """The mean of `value` over the rows where it is defined; of flags, their share.

    None where the frame lacks a column that `value` needs, or no row defines it.
    """
    if not set(value.meta.root_names()) <= set(frame.columns):
        return None
    picked = frame.select("seed", "id", value=value).drop_nulls("value")
    if picked.is_empty():
        return None
    rows = _rows(picked, picked["value"].cast(pl.Float64).to_numpy()[:, None])
    if picked.schema["value"] == pl.Boolean:
        return aggregate.of_means(rows, lambda means: means[..., 0], _generator())
    return aggregate.mean(rows, _generator())


def f1(frame: pl.DataFrame, labels: list[int]) -> Summary:
    """F1 averaged over `labels`: one label gives that class's F1, all of them macro F1."""
    gold, prediction = frame["gold"].to_numpy(), frame["prediction"].to_numpy()
    outcomes = np.concatenate([aggregate.outcomes(gold, prediction, label) for label in labels], axis=1)
    return aggregate.of_means(_rows(frame, outcomes), _macro_f1(len(labels)), _generator())


def accuracy_gain(frame: pl.DataFrame, other: pl.DataFrame) -> Summary | None:
    """Accuracy of the first minus the other's, paired by seed and instance."""
    right = (pl.col("gold") == pl.col("prediction")).cast(pl.Int8)
    first, second = (f.select("seed", "id", right=right) for f in (frame, other))
    paired = first.join(second, on=("seed", "id"), suffix="_other")
    return mean(paired, pl.col("right") - pl.col("right_other"))


def of_means(frame: pl.DataFrame, numbers: np.ndarray, statistic: Statistic) -> Summary:
    """Any statistic that depends on the rows through the means of their `numbers` [M, D]."""
    return aggregate.of_means(_rows(frame, numbers), statistic, _generator())


def spearman(frame: pl.DataFrame, first: str, second: str, less: str = "") -> Summary | None:
    """Spearman's rank correlation of two columns over instances; minus that of `first` with `less`.

    Instances are ranked within their seed, once: a resample keeps the ranks. None where the frame
    lacks a column or a seed has fewer than three rows or a column that does not vary.
    """
    columns = [name for name in (first, second, less) if name]
    if not set(columns) <= set(frame.columns):
        return None
    picked = frame.select("seed", "id", *columns).drop_nulls()
    varied = [pl.col(name).n_unique() > 1 for name in columns]
    enough = picked.group_by("seed").agg(enough=pl.all_horizontal(pl.len() > 2, *varied))["enough"]
    if enough.is_empty() or not enough.all():
        return None
    ranked = picked.select((pl.col(columns).rank() / pl.len()).over("seed") - 0.5).to_numpy()
    pairs = [aggregate.products(ranked[:, 0], ranked[:, place]) for place in range(1, len(columns))]
    return aggregate.of_means(_rows(picked, np.concatenate(pairs, axis=1)), _difference, _generator())


def _difference(means: np.ndarray) -> np.ndarray:
    """The correlation of the first five moments, minus that of the next five if there are any."""
    first, *rest = (aggregate.pearson(means[..., i : i + 5]) for i in range(0, means.shape[-1], 5))
    return first - rest[0] if rest else first


def _macro_f1(count: int) -> Statistic:
    return lambda means: aggregate.f1(means.reshape(*means.shape[:-1], count, 3)).mean(axis=-1)


def _rows(frame: pl.DataFrame, numbers: np.ndarray) -> Rows:
    instances = np.unique(frame["id"].to_list(), return_inverse=True)[1]
    return Rows(numbers, frame["seed"].to_numpy(), instances)


def _generator() -> np.random.Generator:
    return np.random.default_rng(_BOOTSTRAP_SEED)
