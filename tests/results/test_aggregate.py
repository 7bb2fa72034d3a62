import numpy as np
import pytest
import scipy.stats
import sklearn.metrics

from attn_jax.results import aggregate


def fresh() -> np.random.Generator:
    return np.random.default_rng(0)


def single(numbers) -> aggregate.Rows:
    """One seed; one number or one row of numbers an instance."""
    numbers = np.asarray(numbers, float)
    zeros = np.zeros(len(numbers), int)
    return aggregate.Rows(numbers.reshape(len(numbers), -1), zeros, np.arange(len(numbers)))


def test_one_seed_is_scipys_percentile_bootstrap():
    values = np.random.default_rng(1).normal(size=60)
    ours = aggregate.mean(single(values), fresh())
    theirs = scipy.stats.bootstrap(
        (values,), np.mean, n_resamples=aggregate.RESAMPLES, method="percentile", rng=fresh()
    ).confidence_interval
    np.testing.assert_allclose([ours.ci_low, ours.ci_high], [theirs.low, theirs.high], atol=1e-12)
    assert (ours.value, ours.std) == pytest.approx((values.mean(), values.std(ddof=1)))
    assert (ours.n, ours.seeds, ours.std_over) == (60, 1, "instances")


def test_blocks_do_not_change_the_interval(monkeypatch):
    rows = single(np.arange(30.0))
    whole = aggregate.mean(rows, fresh())
    monkeypatch.setattr(aggregate, "_BUDGET", 700)
    assert aggregate.mean(rows, fresh()) == whole


def test_several_seeds_draw_seeds_and_instances_as_a_loop_does():
    draw = np.random.default_rng(2)
    values = draw.normal(size=(3, 40)) + np.array([[0.0], [1.0], [3.0]])
    present = draw.random((3, 40)) < [
        [1.0],
        [0.6],
        [0.9],
    ]  # by predicted class, seeds keep different instances
    seeds, instances = np.nonzero(present)
    rows = aggregate.Rows(values[present][:, None], seeds + 7, instances)
    ours = aggregate.mean(rows, fresh())
    means = np.array([values[s][present[s]].mean() for s in range(3)])
    assert (ours.value, ours.std) == pytest.approx((means.mean(), means.std(ddof=1)))
    assert (ours.n, ours.seeds, ours.std_over) == (present.sum(), 3, "seeds")
    resampled = []
    for _ in range(4000):
        drawn = draw.integers(0, 40, 40)
        kept = [values[s][drawn][present[s][drawn]].mean() for s in draw.integers(0, 3, 3)]
        resampled.append(np.mean(kept))
    low, high = np.percentile(resampled, [2.5, 97.5])
    assert (ours.ci_low, ours.ci_high) == pytest.approx((low, high), abs=0.1)


def test_a_repeated_seed_does_not_narrow_the_interval():
    values = np.random.default_rng(3).normal(size=50)
    one = aggregate.mean(single(values), fresh())
    twice = aggregate.Rows(np.tile(values, 2)[:, None], np.repeat([0, 1], 50), np.tile(np.arange(50), 2))
    two = aggregate.mean(twice, fresh())
    assert (two.ci_low, two.ci_high) == pytest.approx((one.ci_low, one.ci_high))
    assert two.std == 0


def test_a_seed_of_which_nothing_was_drawn_counts_with_its_own_mean():
    rows = aggregate.Rows(np.array([[0.0], [0.0], [1.0]]), np.array([0, 0, 1]), np.array([0, 1, 2]))
    ours = aggregate.mean(rows, fresh())
    assert (ours.value, ours.ci_low, ours.ci_high) == (0.5, 0, 1)


@pytest.mark.parametrize("label", [0, 1])
def test_f1_is_scikit_learns(label: int, monkeypatch):
    monkeypatch.setattr(aggregate, "RESAMPLES", 200)
    draw = np.random.default_rng(4)
    gold, prediction = draw.integers(0, 2, 80), draw.integers(0, 2, 80)
    ours = aggregate.of_means(single(aggregate.outcomes(gold, prediction, label)), aggregate.f1, fresh())
    assert ours.value == pytest.approx(sklearn.metrics.f1_score(gold, prediction, pos_label=label))
    theirs = scipy.stats.bootstrap(
        (gold, prediction),
        lambda g, p: sklearn.metrics.f1_score(g, p, pos_label=label),
        paired=True,
        vectorized=False,
        n_resamples=200,
        method="percentile",
        rng=fresh(),
    ).confidence_interval
    assert (ours.ci_low, ours.ci_high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_f1_of_an_absent_class_is_zero():
    absent = aggregate.outcomes(np.zeros(5, int), np.zeros(5, int), label=1)
    assert aggregate.of_means(single(absent), aggregate.f1, fresh()).value == 0


def test_a_single_instance_has_no_spread():
    alone = aggregate.mean(single([0.3]), fresh())
    assert (alone.value, alone.std, alone.ci_low, alone.ci_high) == (0.3, None, 0.3, 0.3)


def test_benjamini_hochberg_by_hand_within_each_seed():
    p = np.array([0.001, 0.02, 0.04, 0.9, 0.04])
    seeds = np.array([0, 0, 0, 0, 1])
    # Seed 0: thresholds 0.05 k/4 = 0.0125, 0.025, 0.0375, 0.05; the last k with p <= threshold is 2.
    assert aggregate.adjusted_significant(p, seeds).tolist() == [True, True, False, False, True]
