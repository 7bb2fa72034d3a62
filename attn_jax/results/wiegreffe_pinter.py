"""Statistics of Wiegreffe & Pinter's four tests (2019), from frames with a row per seed and instance."""

from collections.abc import Iterator, Mapping

import polars as pl

from attn_jax.results import measure
from attn_jax.results.aggregate import Summary
from attn_jax.results.own_statistics import LITTLE_TVD

Statistics = Iterator[tuple[str, Summary | None]]

BINS = ("0-0.25", "0.25-0.5", "0.5-0.75", "0.75-1")  # of the base's largest weight, as in their violins
NEAR = LITTLE_TVD  # an adversary whose mean TVD stays below gives the base's outputs


def performance(frame: pl.DataFrame) -> Statistics:
    """Accuracy, and F1 of class 1, or its mean over the classes where there are more than two."""
    labels = sorted({*frame["gold"], *frame["prediction"]})
    yield "accuracy", measure.mean(frame, pl.col("gold") == pl.col("prediction"))
    yield "f1", measure.f1(frame, [1] if set(labels) <= {0, 1} else labels)


def seed_variance(frame: pl.DataFrame) -> pl.DataFrame:
    """A row an instance: the median over seeds of JSD(base, seed), and the mean change of the output."""
    return frame.group_by("seed", "id", maintain_order=True).agg(
        pl.col("gold", "target_prediction", "target_max_attention").first(),
        jsd_median=pl.col("jsd").median(),
        tvd_mean=pl.col("tvd").mean(),
    )


def in_bin(place: int) -> pl.Expr:
    """Whether the base's largest weight lies in this quarter of [0, 1]."""
    return (pl.col("target_max_attention") * 4).floor().clip(0, 3) == place


def of_seeds(instances: pl.DataFrame) -> Statistics:
    """Means over all instances, then by the base's largest weight."""
    yield "jsd_median_mean", measure.mean(instances, pl.col("jsd_median"))
    yield "tvd_mean", measure.mean(instances, pl.col("tvd_mean"))
    for place, name in enumerate(BINS):
        part = instances.filter(in_bin(place))
        yield f"jsd_median_mean@{name}", measure.mean(part, pl.col("jsd_median"))


def chosen_strength(dev: pl.DataFrame) -> float:
    """The lambda of greatest mean JSD among those whose mean TVD stays below `NEAR`; else of least TVD."""
    means = dev.group_by("strength").agg(pl.col("jsd", "tvd").mean()).sort("strength")
    near = means.filter(pl.col("tvd") < NEAR)
    best = means.sort("tvd").row(0, named=True) if near.is_empty() else near.sort("jsd").row(-1, named=True)
    return best["strength"]


def frontier(frame: pl.DataFrame) -> Statistics:
    """JSD bought and TVD paid at each lambda: their one point is a point of this curve."""
    for (strength,), part in frame.group_by("strength", maintain_order=True):
        for name in ("jsd", "tvd"):
            yield f"{name}_mean@{strength:g}", measure.mean(part, pl.col(name))
        yield f"accuracy@{strength:g}", measure.mean(part, pl.col("gold") == pl.col("prediction"))


def of_adversary(frame: pl.DataFrame) -> Statistics:
    """The adversary that was chosen, one row a seed and instance."""
    yield from performance(frame)
    yield "jsd_mean", measure.mean(frame, pl.col("jsd"))
    yield "tvd_mean", measure.mean(frame, pl.col("tvd"))


def seed_quantile(adversary: pl.DataFrame, seeds: pl.DataFrame) -> Summary | None:
    """The share of the seeds whose attention is nearer to the base's than the adversary's is.

    0.5 for an adversary no different from another seed, 1 beyond all seeds; ties count half.
    """
    paired = adversary.select("seed", "id", own="jsd").join(
        seeds.select("seed", "id", "jsd"), on=("seed", "id")
    )
    below = (pl.col("jsd") < pl.col("own")).cast(pl.Float64) + 0.5 * (pl.col("jsd") == pl.col("own"))
    shares = paired.group_by("seed", "id", maintain_order=True).agg(share=below.mean())
    return measure.mean(shares, pl.col("share"))


def guides(frames: Mapping[str, pl.DataFrame]) -> Iterator[tuple[str, str, Summary | None]]:
    """(guide, metric, summary): how an MLP fares under each guide, and beyond uniform weights."""
    for guide, frame in frames.items():
        for metric, summary in performance(frame):
            yield guide, metric, summary
        if guide != "uniform":
            yield guide, "accuracy_minus_uniform", measure.accuracy_gain(frame, frames["uniform"])
