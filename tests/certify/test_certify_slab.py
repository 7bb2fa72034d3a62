"""The slab against its faces in float64: the inner one never too wide, the outer one never too narrow."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from certify_cases import cases, vectorised
from scipy.special import expit

from attn_jax.certify import slab

ULP = np.finfo(np.float32).eps
INNER, OUTER = (vectorised(face, 0, 0, 0) for face in (slab.inner, slab.outer))


def scores(seed, scale, count=2000):
    alpha, logits, _ = cases(seed, count, 6, 1, scale=scale)
    return logits[..., 0], alpha


def exact(s, alpha, epsilon):
    """(probability of class 1, of class 0, lower face, upper face) in float64."""
    z = (s.astype(float) * alpha.astype(float)).sum(-1)
    p, q, epsilon = expit(z), expit(-z), epsilon.astype(float)
    with np.errstate(divide="ignore", invalid="ignore"):
        low = np.where(p > epsilon, np.log((p - epsilon) / (q + epsilon)), -np.inf)
        high = np.where(q > epsilon, np.log((p + epsilon) / (q - epsilon)), np.inf)
    return p, q, low, high


def allowed(p, q, epsilon, s):
    """What the rounding of s.alpha and of the probabilities may move the lower face by, to first order."""
    rounding = 8 * np.spacing(np.abs(s).max(-1))
    return rounding + (p * q * rounding + 4 * ULP * (p + epsilon)) / (p - epsilon) + 8 * ULP


@pytest.mark.parametrize("scale", [1.0, 6.0, 60.0])
@pytest.mark.parametrize("epsilon", [1e-5, 0.01, 0.3, "almost p"])
def test_inner_and_outer_enclose_the_exact_faces(scale, epsilon):
    s, alpha = scores(int(scale), scale)
    p, q, *_ = exact(s, alpha, np.zeros(len(s)))
    normal = np.minimum(p, q) > 1e-30  # below, the rounding of a probability is no float32 any more
    s, alpha, p, q = s[normal], alpha[normal], p[normal], q[normal]
    chosen = p * (1 - 10 ** np.random.default_rng(0).uniform(-4, 0, len(p)))
    epsilon = (chosen if epsilon == "almost p" else np.full(len(p), epsilon)).astype(np.float32)
    p, q, low, high = exact(s, alpha, epsilon)
    outer, inner = OUTER(s, alpha, epsilon), INNER(s, alpha, epsilon)
    assert (outer.low <= low).all()
    assert (outer.high >= high).all()
    some = np.asarray(inner.low <= inner.high)
    assert (np.asarray(inner.low) >= low)[some].all()
    assert (np.asarray(inner.high) <= high)[some].all()
    for ours, theirs, one, other in ((0, low, p, q), (1, high, q, p)):
        clear = one - epsilon > 1e-4 * one  # farther from infinity than rounding can say
        room = allowed(one, other, epsilon, s)[clear]
        for found in (outer, inner):
            assert (np.abs(np.asarray(found[ours])[clear] - theirs[clear]) <= 3 * room).all()


def test_a_face_is_at_infinity_where_nothing_is_left():
    s, alpha = np.array([[2.0, -1.0]], np.float32), np.array([[0.5, 0.5]], np.float32)
    for found in (OUTER(s, alpha, np.array([0.7])), INNER(s, alpha, np.array([0.7]))):
        assert (float(found.low[0]), float(found.high[0])) == (-np.inf, np.inf)
    one_sided = OUTER(s, alpha, np.array([0.5]))  # p = 0.62, q = 0.38
    assert np.isfinite(one_sided.low[0])
    assert one_sided.high[0] == np.inf


def test_the_present_output_is_inside_the_outer_slab_though_its_probability_underflows():
    s, alpha = np.full((1, 3), 300.0, np.float32), np.full((1, 3), 1 / 3, np.float32)
    for sign in (1, -1):
        found = OUTER(sign * s, alpha, np.array([0.0]))
        assert found.low[0] <= 300 * sign <= found.high[0]


@pytest.mark.parametrize("largest", [0.001, 1.0, 3.0, 1000.0])
def test_rounding_is_eight_ulps_of_the_largest_score_or_of_one(largest):
    s = jnp.array([0.3 * largest, -largest, 0.0])
    np.testing.assert_allclose(slab.rounding(s), 8 * np.spacing(np.float32(max(largest, 1.0))), rtol=1e-6)


def test_scores_of_one_and_of_two_logits():
    mask = jnp.array([True, False])
    np.testing.assert_array_equal(slab.score(jnp.array([[3.0], [4.0]]), mask), [3.0, 0.0])
    np.testing.assert_array_equal(slab.score(jnp.array([[3.0, 5.0], [4.0, 1.0]]), mask), [2.0, 0.0])
    with pytest.raises(AssertionError):
        slab.score(jnp.ones((2, 3)), mask)


def test_epsilon_may_be_traced_or_an_integer():
    s, alpha = jnp.array([1.0, -2.0]), jnp.array([0.4, 0.6])
    for ours, theirs in zip(jax.jit(slab.outer)(s, alpha, 1), slab.outer(s, alpha, 1.0), strict=True):
        assert ours == theirs
