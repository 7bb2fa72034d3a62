"""Tolerance and reach against float64, and the slabs of pairs of classes against their formula."""

import itertools

import jax.numpy as jnp
import numpy as np
import pytest
from certify_cases import cases, feasible_points, moved, probabilities, vectorised
from scipy.special import softmax

from attn_jax.certify import classes, reach, slab

ULP = np.finfo(np.float32).eps


def distance(logits, output):
    return 0.5 * np.abs(probabilities(logits) - output).sum(-1)


@pytest.mark.parametrize("count", [1, 3])
def test_the_tolerance_is_epsilon_less_the_rounding(count):
    alpha, logits, _ = cases(1, 50, 6, count)
    epsilons = np.geomspace(1e-7, 0.5, 50).astype(np.float32)
    within = vectorised(reach.tolerance, 0, 0, 0)(alpha, logits, epsilons)
    rounding = 8 * np.spacing(np.maximum(np.abs(logits).max((1, 2)), 1))
    np.testing.assert_allclose(within.radius, epsilons - rounding, atol=1e-8, rtol=1e-6)
    assert within.radius[0] < 0 < within.radius[-1]
    np.testing.assert_allclose(
        within.output, probabilities(np.einsum("bt,btc->bc", alpha, logits)), atol=1e-6
    )
    over = vectorised(reach.excess, 0, 0)(within, logits)
    expected = distance(logits, np.asarray(within.output)[:, None]) - np.asarray(within.radius)[:, None]
    np.testing.assert_allclose(over, expected, atol=1e-6)
    found = np.asarray(vectorised(reach.feasible, 0, 0)(within, logits))
    clear = np.abs(expected) > 1e-6
    np.testing.assert_array_equal(found[clear], expected[clear] < 0)
    assert found.any()
    assert not found.all()


def test_a_boundary_belongs_to_the_tolerance():
    within = reach.Tolerance(jnp.array([0.5, 0.5]), jnp.zeros(()))
    assert reach.feasible(within, jnp.zeros(2))


def test_reach_is_the_last_feasible_step():
    alpha, logits, _ = cases(2, 300, 5, 3)
    start = np.einsum("bt,btc->bc", alpha, logits)
    end = start + np.random.default_rng(0).normal(size=start.shape).astype(np.float32)
    epsilon = 0.1
    within = vectorised(reach.tolerance, 0, 0, None)(alpha, logits, epsilon)
    step = np.asarray(vectorised(reach.reach, 0, 0, 0)(within, start, end), np.float64)
    output = probabilities(start)

    def there(t):
        return distance(start + t[:, None] * (end - start).astype(float), output)

    assert (there(step) <= epsilon).all()
    arrived = step == 1
    np.testing.assert_array_equal(arrived, there(np.ones(300)) <= epsilon - 1e-6)
    assert 0.1 < arrived.mean() < 0.9
    assert (there(step + 4e-6) > epsilon - 1e-5)[~arrived].all()
    assert (step[~arrived] > 0).all()


def test_an_infeasible_start_goes_nowhere():
    within = reach.Tolerance(jnp.array([1.0, 0.0]), jnp.asarray(0.01))
    assert reach.reach(within, jnp.zeros(2), jnp.array([0.0, 1.0])) < 1e-5


@pytest.mark.parametrize(("count", "pairs"), [(3, 3), (8, 15)])
def test_slabs_of_class_pairs_are_their_formula_widened(count, pairs):
    epsilon = 0.03
    alpha, logits, mask = cases(3, 40, 6, count)
    scores, slabs = vectorised(classes.outer, 0, 0, 0, None)(alpha, logits, mask, epsilon)
    assert scores.shape == (40, pairs, 6)
    for row in range(40):
        wide = logits[row].astype(float)
        y = softmax(alpha[row].astype(float) @ wide)
        among = itertools.combinations(np.argsort(-y)[:6], 2)
        for number, (a, b) in enumerate(among):
            np.testing.assert_allclose(scores[row, number], wide[:, a] - wide[:, b], atol=1e-5)
            low, high = slabs.low[row, number], slabs.high[row, number]
            for found, over, under, sign in ((low, y[a], y[b], 1), (high, y[b], y[a], -1)):
                if over <= epsilon * (1 - 1e-5):
                    assert found == -sign * np.inf
                elif over > epsilon * 1.001:
                    face = sign * np.log((over - epsilon) / (under + epsilon))
                    rounding = 8 * np.spacing(np.abs(logits[row]).max())
                    relative = 1 / (over - epsilon) + 1 / (under + epsilon)
                    room = rounding * (1 + 0.25 * relative) + 4 * ULP * (2 + relative)
                    assert 0 <= sign * (face - found) <= 2 * room


def test_every_feasible_attention_is_in_every_slab():
    alpha, logits, mask = cases(4, 3, 6, 4)
    scores, slabs = vectorised(classes.outer, 0, 0, 0, None)(alpha, logits, mask, 0.05)
    for row in range(3):
        points = feasible_points(row, 20_000, alpha[row], logits[row], 0.05)
        assert (moved(points, alpha[row], logits[row]) <= 0.05 + 1e-12).all()
        along = points @ np.asarray(scores[row], np.float64).T
        assert (along >= np.asarray(slabs.low[row], np.float64) - 1e-9).all()
        assert (along <= np.asarray(slabs.high[row], np.float64) + 1e-9).all()
        assert np.isfinite(slabs.low[row]).any()


@pytest.mark.parametrize("count", [1, 2])
def test_a_binary_output_has_the_one_slab(count):
    alpha, logits, mask = cases(5, 1, 6, count)
    scores, slabs = classes.outer(jnp.asarray(alpha[0]), jnp.asarray(logits[0]), jnp.asarray(mask[0]), 0.02)
    s = slab.score(jnp.asarray(logits[0]), jnp.asarray(mask[0]))
    np.testing.assert_array_equal(scores, s[None])
    direct = slab.outer(s, jnp.asarray(alpha[0]), 0.02)
    np.testing.assert_array_equal(jnp.stack(slabs)[:, 0], jnp.stack(direct))
