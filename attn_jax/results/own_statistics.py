"""The statistics that no paper prints, each an expression over the frame of examples.

A flag gives a share, a number a mean; what the frame has no columns for is skipped.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from attn_jax.results import aggregate

HIGH_JSD = 0.65  # "near ln 2": the attention has been replaced almost entirely
PEAKED = 0.5  # max attention from here on is peaked: the upper two of the four bins of J&W's Figure 3
LITTLE_TVD = 0.05  # an output that moves by less has hardly moved
# How eps-max JSD goes with max attention (J&W's Figure 5): the arguments of `measure.spearman`.
TRENDS = {
    "search_jsd_max_attention_spearman": ("max_attention", "search_jsd"),
    "exact_jsd_max_attention_spearman": ("max_attention", "exact_jsd"),
    "null_jsd_max_attention_spearman": ("max_attention", "null_jsd"),
    "exact_minus_null_jsd_max_attention_spearman": ("max_attention", "exact_jsd", "null_jsd"),
}
PAIRS = ("tau_gradient", "tau_loo", "tau_gradient_loo")


def expressions(epsilon_grid: Sequence[float]) -> dict[str, pl.Expr]:
    """Metric -> value of one row."""
    groups = (
        _performance(),
        _agreement(),
        _permutation(),
        _adversary(),
        _curve(epsilon_grid),
        _flip(),
        _planted(),
    )
    return {metric: value for group in groups for metric, value in group}


def with_adjusted(frame: pl.DataFrame) -> pl.DataFrame:
    """Adds a flag `NAME_adjusted` a pair of rankings: significant under a false discovery rate of 0.05."""
    for name in PAIRS:
        if f"{name}_p" in frame.columns:
            frame = frame.with_columns(_adjusted(frame, name))
    return frame


def _adjusted(frame: pl.DataFrame, name: str) -> pl.Series:
    p_values = frame[f"{name}_p"].cast(pl.Float64)
    known = p_values.is_not_null().to_numpy()
    flags = np.full(frame.height, None, dtype=object)
    flags[known] = aggregate.adjusted_significant(
        p_values.drop_nulls().to_numpy(), frame["seed"].to_numpy()[known]
    )
    return pl.Series(f"{name}_adjusted", flags.tolist(), dtype=pl.Boolean)


def _performance() -> Iterator[tuple[str, pl.Expr]]:
    yield "accuracy", pl.col("gold") == pl.col("prediction")
    yield "majority_share", pl.col("gold") == pl.col("gold").mode().min()
    yield "length_mean", pl.col("length")
    yield "max_attention_mean", pl.col("max_attention")


def _agreement() -> Iterator[tuple[str, pl.Expr]]:
    """Kendall's tau of attention with two measures of importance, its null and its ceiling."""
    for name in PAIRS:
        yield f"{name}_mean", pl.col(name)
        yield f"{name}_significant_fraction", pl.col(f"{name}_p") <= aggregate.SIGNIFICANT
        yield f"{name}_significant_fraction_adjusted", pl.col(f"{name}_adjusted")
    for name in ("tau_gradient", "tau_loo"):
        yield f"{name}_shuffled_mean", pl.col(f"{name}_shuffled")
        yield f"tau_gradient_loo_minus_{name}_mean", pl.col("tau_gradient_loo") - pl.col(name)


def _permutation() -> Iterator[tuple[str, pl.Expr]]:
    yield "permutation_median_tvd_mean", pl.col("permutation_median_tvd")
    yield "permutation_can_flip_share", pl.col("permutation_can_flip")
    peaked, little = pl.col("max_attention") >= PEAKED, pl.col("permutation_median_tvd") < LITTLE_TVD
    yield "peaked_share", peaked
    yield "permutation_little_when_peaked_share", pl.when(peaked).then(little)


def _adversary() -> Iterator[tuple[str, pl.Expr]]:
    """The search, the optimum, and the null without which neither means anything."""
    for name in ("search", "exact", "null"):
        yield f"{name}_jsd_mean", pl.col(f"{name}_jsd")
        yield f"{name}_jsd_above_{HIGH_JSD}_share", pl.col(f"{name}_jsd") > HIGH_JSD
    yield "search_feasible_share", pl.col("search_feasible")
    yield "exact_upper_bound_mean", pl.col("exact_upper_bound")
    yield "exact_minus_search_jsd_mean", pl.col("exact_jsd") - pl.col("search_jsd")
    yield "exact_minus_null_jsd_mean", pl.col("exact_jsd") - pl.col("null_jsd")
    yield f"exact_minus_null_jsd_above_{HIGH_JSD}_share", _above("exact_jsd") - _above("null_jsd")
    yield "bound_jsd_low_mean", pl.col("bound_jsd_low")
    yield "bound_jsd_high_mean", pl.col("bound_jsd_high")
    yield "permuted_jsd_low_mean", pl.col("permuted_jsd_low")
    yield "permuted_jsd_high_mean", pl.col("permuted_jsd_high")


def _above(column: str) -> pl.Expr:
    """1 where the attention can be replaced almost entirely, else 0."""
    return (pl.col(column) > HIGH_JSD).cast(pl.Int8)


def _curve(epsilon_grid: Sequence[float]) -> Iterator[tuple[str, pl.Expr]]:
    """The curve over eps: a metric a point, named by its eps."""
    for name in ("curve_jsd", "curve_null_jsd"):
        for place, epsilon in enumerate(epsilon_grid):
            yield f"{name}_mean@{epsilon:g}", pl.col(name).list.get(place, null_on_oob=True)


def _flip() -> Iterator[tuple[str, pl.Expr]]:
    """The smallest set of tokens whose erasure changes the decision, among instances that have one."""
    yield "flip_share", pl.col("flip_flips")
    yield "flip_fraction_mean", pl.when("flip_flips").then(pl.col("flip_count") / pl.col("length"))


def _planted() -> Iterator[tuple[str, pl.Expr]]:
    """How well each ranking finds the tokens that are known to decide; base rate: a random ranking."""
    yield "auprc_base_rate_mean", pl.col("auprc_base_rate")
    yield "auprc_attention_mean", pl.col("auprc_attention")
    yield "auprc_attention_minus_base_rate_mean", pl.col("auprc_attention") - pl.col("auprc_base_rate")
    for name in ("gradient_x_input", "loo"):
        yield f"auprc_{name}_mean", pl.col(f"auprc_{name}")
        yield f"auprc_attention_minus_{name}_mean", pl.col("auprc_attention") - pl.col(f"auprc_{name}")
