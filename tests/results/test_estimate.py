import numpy as np
import pytest

from attn_jax.results import estimate
from attn_jax.results.estimate import Estimate


def of_sample(sample: np.ndarray) -> Estimate:
    half = 1.96 * sample.std(ddof=1) / len(sample) ** 0.5
    return Estimate(sample.mean(), sample.mean() - half, sample.mean() + half, len(sample))


def test_a_difference_has_the_normal_interval_of_two_means():
    draw = np.random.default_rng(0)
    a, b = draw.normal(1, 2, 50), draw.normal(0, 1, 80)
    made = of_sample(a).minus(of_sample(b))
    error = 1.96 * (a.var(ddof=1) / 50 + b.var(ddof=1) / 80) ** 0.5
    assert (made.value, made.low, made.high) == pytest.approx(
        (a.mean() - b.mean(), a.mean() - b.mean() - error, a.mean() - b.mean() + error)
    )
    assert made.n == 50


def test_a_skewed_interval_is_turned_round_by_a_difference():
    made = Estimate(0, 0, 0).minus(Estimate(1, 0.9, 1.4))
    assert (made.value, made.low, made.high) == pytest.approx((-1, -1.4, -0.9))


def test_a_weighted_mean_of_classes_is_the_mean_over_all():
    draw = np.random.default_rng(1)
    parts = [draw.normal(i, 1, size) for i, size in enumerate((30, 70))]
    made = estimate.mean([of_sample(part) for part in parts], [30, 70])
    assert made.value == pytest.approx(np.concatenate(parts).mean())
    error = 1.96 * (0.3**2 * parts[0].var(ddof=1) / 30 + 0.7**2 * parts[1].var(ddof=1) / 70) ** 0.5
    assert made.high - made.value == pytest.approx(error)
    assert made.n == 100


def test_caveats_are_kept_once_and_in_order():
    a, b = Estimate(0, 0, 0, caveats=("x", "y")), Estimate(0, 0, 0, caveats=("y", "z"))
    assert a.minus(b).caveats == ("x", "y", "z")
    assert estimate.mean([b, a]).caveats == ("y", "z", "x")


@pytest.mark.parametrize(
    ("low", "value", "high", "expected"),
    [
        (0.6, 0.7, 0.9, (0.1, 0.2, 0.4)),
        (0.3, 0.4, 0.45, (0.05, 0.1, 0.2)),
        (0.4, 0.55, 0.7, (0.0, 0.05, 0.2)),
    ],
)
def test_distance_from_a_point(low, value, high, expected):
    made = Estimate(value, low, high).distance(0.5)
    assert (made.low, made.value, made.high) == pytest.approx(expected)


def test_scaling_by_a_negative_turns_the_interval_round():
    made = Estimate(1, 0, 3).scaled(-2)
    assert (made.low, made.value, made.high) == (-6, -2, 0)
    assert made.bounded
    assert not Estimate(1, 1, 1).bounded


def test_figures_of_the_same_instances_are_as_sure_together_as_each_alone():
    a, b = Estimate(1.0, 0.5, 2.0, 10, ("x",)), Estimate(3.0, 2.5, 4.0, 8, ("x", "y"))
    assert estimate.together([a, b]) == Estimate(2.0, 1.5, 3.0, 8, ("x", "y"))
    assert estimate.together([a, a]) == a
