"""From per-instance numbers to one statistic with its spread and its interval.

With one seed, everything varies over instances. With several, a statistic is the mean of the seeds'
own statistics, its spread is over seeds, and the bootstrap is hierarchical: it draws seeds, then
instances. The seeds were judged on the same instances, so one draw of instances serves all the seeds
of a resample; independent draws would make the interval too narrow.
"""

import dataclasses
from collections.abc import Callable, Iterator

import numpy as np
import scipy.stats
from jaxtyping import Bool, Float, Int

RESAMPLES = 2000
LEVEL = 0.95
SIGNIFICANT = 0.05  # J&W count p <= 0.05
_BUDGET = 1 << 22  # numbers drawn at a time

# A statistic as a function of the means of an instance's numbers: [..., D] -> [...].
Statistic = Callable[[Float[np.ndarray, "*R D"]], Float[np.ndarray, "*R"]]


@dataclasses.dataclass(frozen=True)
class Rows:
    """M rows of D numbers, each of one seed and one instance; an instance has a row a seed at most."""

    numbers: Float[np.ndarray, "M D"]
    seeds: Int[np.ndarray, "M"]
    instances: Int[np.ndarray, "M"]


@dataclasses.dataclass(frozen=True)
class Summary:
    """The statistical fields of a record."""

    value: float
    std: float | None
    n: int
    seeds: int
    ci_low: float | None
    ci_high: float | None
    std_over: str


def mean(rows: Rows, rng: np.random.Generator) -> Summary:
    """Mean, standard deviation and 95 % percentile interval of one number an instance (D = 1)."""
    summary = of_means(rows, lambda means: means[..., 0], rng)
    if summary.seeds > 1 or summary.n < 2:
        return summary
    return dataclasses.replace(summary, std=float(np.std(rows.numbers, ddof=1)))


def of_means(rows: Rows, statistic: Statistic, rng: np.random.Generator) -> Summary:
    """A statistic that depends on the instances through the means of their numbers: shares, F1.

    Its spread over instances has no meaning, so `std` is None with one seed.
    """
    values = np.array([statistic(group.numbers.mean(axis=0)) for group in _by_seed(rows)])
    low, high = np.percentile(_resampled(rows, statistic, rng), (50 * (1 - LEVEL), 50 * (1 + LEVEL)))
    several = len(values) > 1
    return Summary(
        value=float(values.mean()),
        std=float(values.std(ddof=1)) if several else None,
        n=len(rows.numbers),
        seeds=len(values),
        ci_low=float(low),
        ci_high=float(high),
        std_over="seeds" if several else "instances",
    )


def _by_seed(rows: Rows) -> Iterator[Rows]:
    for seed in np.unique(rows.seeds):
        here = rows.seeds == seed
        yield Rows(rows.numbers[here], rows.seeds[here], rows.instances[here])


def _resampled(rows: Rows, statistic: Statistic, rng: np.random.Generator) -> Float[np.ndarray, "R"]:
    """The statistic on each resample of seeds and instances."""
    names, codes = np.unique(rows.instances, return_inverse=True)
    groups = list(_by_seed(dataclasses.replace(rows, instances=codes)))
    blocks = [
        np.stack([statistic(_weighted_means(group, weights)) for group in groups], axis=1)
        for weights in _draws(len(names), rng)
    ]
    values = np.concatenate(blocks)
    if len(groups) == 1:
        return values[:, 0]
    seeds = rng.integers(0, len(groups), values.shape)
    return np.take_along_axis(values, seeds, axis=1).mean(axis=1)


def _draws(n: int, rng: np.random.Generator) -> Iterator[Float[np.ndarray, "_ N"]]:
    """How often each of `n` instances was drawn, a row a resample, in blocks of bounded size."""
    block = max(1, _BUDGET // n)
    for start in range(0, RESAMPLES, block):
        size = min(block, RESAMPLES - start)
        cells = rng.integers(0, n, (size, n)) + n * np.arange(size)[:, None]
        yield np.bincount(cells.ravel(), minlength=size * n).reshape(size, n).astype(float)


def _weighted_means(group: Rows, weights: Float[np.ndarray, "R N"]) -> Float[np.ndarray, "R D"]:
    """The group's means under each row of weights; its plain mean where none of it was drawn."""
    own = weights[:, group.instances]
    total = own.sum(axis=1, keepdims=True)
    plain = np.broadcast_to(group.numbers.mean(axis=0), (len(own), group.numbers.shape[1])).copy()
    return np.divide(own @ group.numbers, total, out=plain, where=total > 0)


def adjusted_significant(
    p_values: Float[np.ndarray, "M"], seeds: Int[np.ndarray, "M"]
) -> Bool[np.ndarray, "M"]:
    """Which instances stay significant when the false discovery rate is held at 0.05 within each seed.

    Benjamini & Hochberg (1995), by `scipy.stats.false_discovery_control`.
    """
    flags = np.zeros(len(p_values), dtype=bool)
    for seed in np.unique(seeds):
        here = seeds == seed
        flags[here] = scipy.stats.false_discovery_control(np.clip(p_values[here], 0, 1)) <= SIGNIFICANT
    return flags


def f1(means: Float[np.ndarray, "*R 3"]) -> Float[np.ndarray, "*R"]:
    """F1 from the mean counts of true positives, false positives, false negatives; 0 where all are 0."""
    hits, wrong = means[..., 0], means[..., 1] + means[..., 2]
    total = 2 * hits + wrong
    return np.divide(2 * hits, total, out=np.zeros_like(total), where=total > 0)


def outcomes(
    gold: Int[np.ndarray, "M"], prediction: Int[np.ndarray, "M"], label: int
) -> Float[np.ndarray, "M 3"]:
    """True positive, false positive, false negative of one class, one flag each an instance."""
    is_gold, is_predicted = gold == label, prediction == label
    flags = (is_gold & is_predicted, ~is_gold & is_predicted, is_gold & ~is_predicted)
    return np.stack(flags, axis=-1).astype(float)


def products(a: Float[np.ndarray, "M"], b: Float[np.ndarray, "M"]) -> Float[np.ndarray, "M 5"]:
    """What a correlation is made of: a, b, a squared, b squared, a times b."""
    return np.stack((a, b, a * a, b * b, a * b), axis=-1)


def pearson(means: Float[np.ndarray, "*R 5"]) -> Float[np.ndarray, "*R"]:
    """Pearson's correlation from the means of `products`; 0 where either number does not vary."""
    a, b, aa, bb, ab = np.moveaxis(means, -1, 0)
    spread = np.sqrt(np.clip((aa - a * a) * (bb - b * b), 0, None))
    return np.divide(ab - a * b, spread, out=np.zeros_like(spread), where=spread > 1e-12)
