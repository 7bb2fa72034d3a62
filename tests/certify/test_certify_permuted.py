import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from certify_cases import cases, garbage_padding, jsd, moved, vectorised

from attn_jax import certify

MANY = vectorised(certify.permuted_jsd, 0, 0, 0, None)
ORDERS = np.array(list(itertools.permutations(range(7))))


def brute_force(alpha, token_logits, epsilon):
    points = alpha[ORDERS]
    return jsd(points[moved(points, alpha, token_logits) <= epsilon], alpha).max()


@pytest.mark.parametrize(
    ("classes", "epsilon", "short", "over"),
    [(1, 0.05, 0.0014, 0.031), (3, 0.1, 0.0067, 0.083), (1, 0.01, 0.0205, 0.048)],
)
def test_brackets_the_best_of_all_permutations(classes, epsilon, short, over):
    """`short` and `over`: how far both ends were from the truth, on average, when this was written."""
    alpha, logits, mask = cases(classes, 200, 7, classes)
    found = MANY(alpha, logits, mask, epsilon)
    truth = np.array([brute_force(a, logit, epsilon) for a, logit in zip(alpha, logits, strict=True)])
    assert (np.asarray(found.upper_bound, np.float64) >= truth).all()
    assert (np.asarray(found.jsd) <= truth + 1e-6).all()
    # At T = 7 few permutations are feasible, and swaps may not connect them.
    assert (truth - np.asarray(found.jsd)).mean() < short
    assert (np.asarray(found.upper_bound) - truth).mean() < over
    np.testing.assert_array_equal(np.sort(found.alpha), np.sort(alpha))
    for row in range(200):
        assert moved(np.asarray(found.alpha[row]), alpha[row], logits[row]) <= epsilon
        np.testing.assert_allclose(jsd(found.alpha[row], alpha[row]), found.jsd[row], atol=1e-6)


def test_tight_on_longer_inputs_and_no_farther_than_the_free_adversary():
    alpha, logits, mask = cases(2, 20, 40, 1)
    found = MANY(alpha, logits, mask, 0.02)
    assert float((found.upper_bound - found.jsd).mean()) < 0.003
    free = vectorised(certify.max_jsd, 0, 0, 0, None)(alpha, logits, mask, 0.02)
    assert (found.jsd <= free.upper_bound).all()


def test_without_a_constraint_the_order_is_reversed():
    alpha, logits, mask = cases(3, 200, 7, 1)
    found = MANY(alpha, logits, mask, 1.0)
    reversed_order = np.take_along_axis(np.sort(alpha), np.argsort(np.argsort(-alpha)), -1)
    np.testing.assert_allclose(found.jsd, jsd(reversed_order, alpha), atol=1e-5)
    np.testing.assert_allclose(found.upper_bound, found.jsd, atol=1e-5)


@pytest.mark.parametrize("classes", [1, 3])
def test_degenerate_inputs(classes):
    """One row each: exact zeros with a saturated output, a single token, nothing attendable, even weights."""
    rows = np.array([[0, 0.3, 0, 0.7, 0, 0, 0], np.eye(7)[1], np.zeros(7), np.full(7, 1 / 7)], np.float32)
    masks = np.array([np.ones(7), np.eye(7)[1], np.zeros(7), np.ones(7)], bool)
    alpha, mask = np.tile(rows, (50, 1)), np.tile(masks, (50, 1))
    logits = np.tile(
        np.linspace(-300, 300, 7 * classes, dtype=np.float32).reshape(1, 7, classes), (200, 1, 1)
    )
    for epsilon in (0.0, 0.01, 1.0):
        found = jax.tree.map(lambda part: part[:4], MANY(alpha, logits, mask, epsilon))
        assert all(bool(jnp.isfinite(part).all()) for part in found)
        assert (found.jsd <= found.upper_bound).all()
        np.testing.assert_array_equal(jnp.stack([found.jsd, found.upper_bound])[:, 1:3], 0.0)
        np.testing.assert_array_equal(found.valid, [True, True, False, True])
        np.testing.assert_array_equal(found.alpha[2], 0.0)
        np.testing.assert_allclose([found.jsd[3], found.upper_bound[3]], 0.0, atol=2e-6)


def test_padding_changes_nothing_and_vmap_equals_loop():
    alpha, logits, mask = cases(7, 200, 7, 1)
    plain = MANY(alpha, logits, mask, 0.05)
    padded = MANY(*garbage_padding(alpha[:20], logits[:20], mask[:20], 33), 0.05)
    np.testing.assert_allclose(plain.upper_bound[:20], padded.upper_bound, atol=1e-4)
    np.testing.assert_allclose(plain.jsd[:20], padded.jsd, atol=1e-6)
    one = jax.jit(certify.permuted_jsd)(alpha[0], logits[0], mask[0], 0.05)
    np.testing.assert_allclose(one.upper_bound, plain.upper_bound[0], atol=1e-5)
    np.testing.assert_allclose(one.jsd, plain.jsd[0], atol=1e-6)


def test_two_classes_are_the_sigmoid_of_their_difference():
    """Of a saturated output too, whose small probability is not lost in the rounding of the large one."""
    alpha, logits, mask = cases(5, 200, 7, 1)
    logits += 12
    one = MANY(alpha, logits, mask, 1e-6)
    two = MANY(alpha, np.concatenate([np.zeros_like(logits), logits], -1), mask, 1e-6)
    np.testing.assert_array_equal(one.jsd, two.jsd)
    np.testing.assert_array_equal(one.upper_bound, two.upper_bound)
    assert (one.jsd > 0).mean() > 0.5
