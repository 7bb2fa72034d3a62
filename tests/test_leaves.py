"""Masking, divergences and outputs against scipy and by their laws."""

import jax
import jax.numpy as jnp
import jax.test_util
import numpy as np
import pytest
import scipy.special
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon

from attn_jax import divergences, masking, outputs, rng


def simplex(seed, *shape):
    return np.random.default_rng(seed).dirichlet(np.full(shape[-1], 0.5), shape[:-1]).astype(np.float32)


def test_divergences_equal_scipy():
    p, q = simplex(0, 50, 7), simplex(1, 50, 7)
    np.testing.assert_allclose(divergences.jsd(p, q), jensenshannon(p, q, axis=-1) ** 2, atol=1e-6)
    np.testing.assert_allclose(divergences.tvd(p, q), np.abs(p - q).sum(-1) / 2, atol=1e-6)
    np.testing.assert_allclose(divergences.kl(p, q), scipy.special.rel_entr(p, q).sum(-1), rtol=1e-4)


def test_kl_and_its_slope_are_finite_where_a_weight_is_zero():
    value, slope = jax.value_and_grad(divergences.kl)(jnp.array([0.0, 1.0]), jnp.array([1.0, 0.0]))
    assert np.isfinite(value)
    assert value > 50
    assert np.isfinite(slope).all()


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 9))
def test_divergences_are_bounded_and_symmetric(seed, n):
    p, q = simplex(seed, n), simplex(seed + 1, n)
    for distance, most in ((divergences.jsd, np.log(2)), (divergences.tvd, 1.0)):
        assert 0 <= distance(p, q) <= most + 1e-6
        np.testing.assert_allclose(distance(p, q), distance(q, p), atol=1e-6)
        np.testing.assert_allclose(distance(p, p), 0, atol=1e-7)


def test_disjoint_distributions_are_ln2_apart():
    p, q = jnp.array([1.0, 0.0]), jnp.array([0.0, 1.0])
    np.testing.assert_allclose(divergences.jsd(p, q), np.log(2), rtol=1e-6)
    np.testing.assert_allclose(divergences.tvd(p, q), 1.0)


@pytest.mark.parametrize("distance", [divergences.jsd, divergences.tvd])
def test_gradients_are_finite_at_the_corners(distance):
    p, q = jnp.array([1.0, 0.0, 0.0]), jnp.array([0.0, 1.0, 0.0])
    for a, b in ((p, q), (p, p), (q, p)):
        assert np.isfinite(jax.grad(distance, (0, 1))(a, b)).all()


def test_jsd_gradient_inside_the_simplex_matches_differences():
    p, q = jnp.array([0.2, 0.5, 0.3]), jnp.array([0.6, 0.3, 0.1])
    jax.test_util.check_grads(divergences.jsd, (p, q), order=1, atol=1e-2, rtol=1e-2)


def test_the_entropy_term_and_its_slope():
    v = jnp.array([0.0, 1e-6, 0.3, 1.0, 2.5])
    np.testing.assert_allclose(divergences.xlogx(v), scipy.special.xlogy(v, v), rtol=1e-6)
    value, slope = jax.vmap(jax.value_and_grad(divergences.xlogx))(v)
    np.testing.assert_allclose(value, scipy.special.xlogy(v, v), rtol=1e-6)
    np.testing.assert_allclose(slope[1:], 1 + np.log(v[1:]), rtol=1e-5)
    assert -100 < slope[0] < -50
    np.testing.assert_allclose(jax.jvp(divergences.xlogx, (v,), (2 * v,))[1][1:], 2 * v[1:] * slope[1:])


def test_divergences_of_distributions_that_touch_zero():
    """Where only one weight is 0 the divergence is scipy's; of the slopes only what is infinite is cut."""
    p, q = jnp.array([0.0, 0.4, 0.6]), jnp.array([0.5, 0.5, 0.0])
    np.testing.assert_allclose(divergences.jsd(p, q), jensenshannon(p, q) ** 2, rtol=1e-6)
    np.testing.assert_allclose(
        divergences.kl(p, q), 0.4 * np.log(0.8) + 0.6 * np.log(0.6 / 2**-126), rtol=1e-6
    )
    np.testing.assert_allclose(
        jax.grad(divergences.jsd)(p, q), [-0.5, 0.5 * np.log(0.4 / 0.45), 0.5 * np.log(2)], atol=1e-6
    )
    np.testing.assert_allclose(jax.grad(divergences.kl)(p, q)[:2], [0, 1 + np.log(0.8)], rtol=1e-5)


@pytest.mark.parametrize("scale", [1, 30])  # several weights that count, and one that takes all
def test_softmax_is_scipys_on_the_mask_and_zero_elsewhere(scale):
    scores = np.random.default_rng(2).normal(size=6).astype(np.float32) * scale
    mask = np.array([1, 0, 1, 1, 0, 1], bool)
    alpha = masking.softmax(scores, mask)
    np.testing.assert_allclose(alpha[mask], scipy.special.softmax(scores[mask]), rtol=1e-5)
    np.testing.assert_array_equal(alpha[~mask], 0)


def test_each_row_is_a_softmax_of_its_own_and_large_scores_do_not_overflow():
    scores = np.array([[1.0, 2.0, 5.0], [1000.0, 999.0, -1000.0], [-1000.0, -1000.5, 3000.0]], np.float32)
    mask = np.array([[1, 1, 1], [1, 1, 1], [1, 1, 0]], bool)
    expected = scipy.special.softmax(np.where(mask, scores, -np.inf), -1)
    np.testing.assert_allclose(masking.softmax(scores, mask), expected, rtol=1e-5)
    slope = jax.grad(lambda s: masking.softmax(s, mask)[:, 0].sum())(jnp.asarray(scores))
    np.testing.assert_allclose(slope, expected[:, :1] * (np.eye(3)[0] - expected), atol=1e-6)


def test_each_row_is_normalised_over_its_mask():
    weights, mask = (
        np.array([[1.0, 3.0, 9.0], [0.0, 0.0, 5.0], [0.2, 0.3, 0.1]], np.float32),
        np.ones((3, 3), bool),
    )
    mask[:2, 2] = False
    found = masking.normalise(weights, mask)
    np.testing.assert_allclose(found, [[0.25, 0.75, 0], [0, 0, 0], [1 / 3, 0.5, 1 / 6]], rtol=1e-6)
    np.testing.assert_allclose(masking.uniform(mask).sum(-1), 1, rtol=1e-6)


def test_nothing_attendable_gives_zeros_and_finite_gradients():
    nothing, scores = jnp.zeros(3, bool), jnp.array([1.0, 2.0, 3.0])
    for fn in (masking.softmax, masking.normalise):
        np.testing.assert_array_equal(fn(scores, nothing), 0)
        assert np.isfinite(jax.grad(lambda s, f=fn: f(s, nothing).sum())(scores)).all()
    np.testing.assert_array_equal(masking.uniform(nothing), 0)


def test_uniform_and_compact():
    mask = jnp.array([False, True, False, True])
    np.testing.assert_allclose(masking.uniform(mask), [0, 0.5, 0, 0.5])
    np.testing.assert_array_equal(masking.compact(mask), [1, 3, 0, 2])


def test_compact_keeps_the_order_of_a_long_text():
    """Sorts that are not stable shuffle equals only where there are more than a few."""
    mask = np.random.default_rng(3).random(300) < 0.5
    expected = np.concatenate([np.flatnonzero(mask), np.flatnonzero(~mask)])
    np.testing.assert_array_equal(masking.compact(mask), expected)


def test_one_logit_is_the_pair_and_keeps_small_probabilities():
    p = outputs.probabilities(jnp.array([40.0]))
    assert p.shape == (2,)
    np.testing.assert_allclose(p, [scipy.special.expit(-40.0), 1.0], rtol=1e-5)
    np.testing.assert_allclose(outputs.probabilities(jnp.array([1.0, 2.0, 0.0])).sum(), 1, rtol=1e-6)


def test_decisions_and_their_ties():
    assert outputs.predicted(jnp.array([0.0])) == 0
    assert outputs.predicted(jnp.array([1e-6])) == 1
    assert outputs.predicted(jnp.array([1.0, 3.0, 3.0])) == 1


def test_streams_differ_by_name_and_instance():
    base = rng.root(0)
    draws = [
        float(jax.random.uniform(k))
        for k in (
            rng.stream(base, "a"),
            rng.stream(base, "b"),
            rng.instance(base, jnp.int32(0)),
            rng.instance(base, jnp.int32(1)),
            rng.stream(rng.root(1), "a"),
        )
    ]
    assert len(set(draws)) == 5
    assert float(jax.random.uniform(rng.stream(rng.root(0), "a"))) == draws[0]


def test_weights_that_are_all_gone_have_a_finite_slope():
    gone = jnp.zeros(3)
    slope = jax.grad(lambda weights: masking.normalise(weights, jnp.ones(3, bool)) @ jnp.arange(3.0))(gone)
    assert jnp.isfinite(slope).all()
