import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from certify_cases import cases, feasible_points, garbage_padding, jsd, moved, simplex_grid, vectorised

from attn_jax import certify

ONE = jax.jit(certify.max_jsd)
MANY = vectorised(certify.max_jsd, 0, 0, 0, None)
LN2 = np.log(2.0)


def optimum(alpha, token_logits, epsilon):
    """The optimum in float64, one vertex at a time: single tokens, and pairs cut by either face."""
    logits = np.asarray(token_logits, np.float64)
    s = logits[:, 0] if logits.shape[1] == 1 else logits[:, 1] - logits[:, 0]
    y = 1 / (1 + np.exp(-s @ alpha.astype(np.float64)))
    eye = np.eye(len(s))
    low, high = (
        np.log(p / (1 - p)) if 0 < p < 1 else np.sign(p - 0.5) * np.inf for p in (y - epsilon, y + epsilon)
    )
    points = [alpha.astype(np.float64), *(eye[i] for i in range(len(s)) if low <= s[i] <= high)]
    for (i, j), face in itertools.product(itertools.combinations(range(len(s)), 2), (low, high)):
        if min(s[i], s[j]) < face < max(s[i], s[j]):
            w = (face - s[j]) / (s[i] - s[j])
            points.append(w * eye[i] + (1 - w) * eye[j])
    return max(jsd(point, alpha) for point in points)


@pytest.mark.parametrize(("classes", "epsilon"), [(1, 0.01), (1, 0.1), (2, 0.05)])
def test_equals_the_float64_enumeration(classes, epsilon):
    for length in (2, 7):
        alpha, logits, mask = cases(length, 200, length, classes)
        found = MANY(alpha, logits, mask, epsilon)
        truth = np.array([optimum(a, logit, epsilon) for a, logit in zip(alpha, logits, strict=True)])
        np.testing.assert_allclose(found.jsd, truth, atol=3e-5)
        assert (np.asarray(found.upper_bound, np.float64) >= truth).all()
        assert (found.upper_bound - found.jsd).max() < 1e-4


@pytest.mark.parametrize("classes", [1, 2])
def test_fine_grid_of_the_simplex(classes):
    grid, epsilon = simplex_grid(200), 0.05
    alpha, logits, mask = cases(1, 200, 3, classes, peak=1.0)
    found = MANY(alpha, logits, mask, epsilon)
    for a, logit, bound in zip(alpha, logits, np.asarray(found.upper_bound, np.float64), strict=True):
        inside = moved(grid, a, logit) <= epsilon
        best = jsd(grid[inside], a).max(initial=0.0)
        assert best <= bound
        # The grid misses the vertex by at most its own step.
        assert bound - best < 0.06


def test_attained_is_feasible_in_float64():
    alpha, logits, mask = cases(2, 200, 7, 1, scale=5.0)
    for epsilon in (1e-4, 0.01, 0.3):
        found = MANY(alpha, logits, mask, epsilon)
        for a, logit, other, value in zip(alpha, logits, np.asarray(found.alpha), found.jsd, strict=True):
            assert moved(other, a, logit) <= epsilon
            assert other.min() >= 0
            np.testing.assert_allclose(other.sum(), 1, atol=1e-6)
            np.testing.assert_allclose(jsd(other, a), value, atol=1e-6)


@pytest.mark.parametrize(("classes", "epsilon", "length"), [(1, 0.01, 12), (2, 0.05, 6), (1, 0.2, 30)])
def test_random_feasible_points_never_beat_the_bound(classes, epsilon, length):
    alpha, logits, mask = cases(3, 4, length, classes)
    bounds = np.asarray(MANY(alpha, logits, mask, epsilon).upper_bound, np.float64)
    for seed, (a, logit, bound) in enumerate(zip(alpha, logits, bounds, strict=True)):
        points = feasible_points(seed, 100_000, a, logit, epsilon)
        assert (moved(points, a, logit) <= epsilon + 1e-12).all()
        assert jsd(points, a).max() <= bound


def test_length_one():
    found = ONE(jnp.ones(1), jnp.array([[3.0]]), jnp.ones(1, bool), 0.01)
    assert (float(found.jsd), float(found.upper_bound), bool(found.valid)) == (0.0, 0.0, True)
    one_of_many = ONE(
        jnp.array([0.0, 1.0, 0.0]), jnp.array([[9.0], [3.0], [-9.0]]), jnp.array([False, True, False]), 0.01
    )
    assert (float(one_of_many.jsd), float(one_of_many.upper_bound)) == (0.0, 0.0)


@pytest.mark.parametrize("classes", [1, 2])
def test_nothing_attendable(classes):
    found = ONE(jnp.zeros(4), jnp.full((4, classes), 7.0), jnp.zeros(4, bool), 0.01)
    assert not found.valid
    assert all(float(jnp.abs(part).max()) == 0 for part in (found.jsd, found.alpha, found.upper_bound))


def test_alpha_with_exact_zeros():
    alpha, logits, mask = cases(4, 200, 7, 1)
    alpha[:, ::2] = 0
    alpha /= alpha.sum(-1, keepdims=True)
    found = MANY(alpha, logits, mask, 0.01)
    truth = np.array([optimum(a, logit, 0.01) for a, logit in zip(alpha, logits, strict=True)])
    np.testing.assert_allclose(found.jsd, truth, atol=3e-5)
    assert (np.asarray(found.upper_bound, np.float64) >= truth).all()  # ln 2, where it is hardest to bound


@pytest.mark.parametrize("level", [200.0, -200.0, 30.0, -30.0])
@pytest.mark.parametrize("epsilon", [0.0, 1e-6, 0.01])
def test_saturated_output(level, epsilon):
    """p is 0 or 1 in float32: one face is at infinity (or the slab a point), nothing is NaN."""
    logits = jnp.array([[1.0], [1.1], [0.9], [-0.5]]) * level
    alpha = jnp.array([0.6, 0.2, 0.2, 0.0])
    found = ONE(alpha, logits, jnp.ones(4, bool), epsilon)
    assert all(bool(jnp.isfinite(part).all()) for part in found)
    if epsilon > 0:
        # Every token but the last is saturated on the same side: the farthest of the three is feasible.
        assert float(found.jsd) >= jsd(np.eye(4)[1], np.asarray(alpha)) - 1e-6


def test_tied_scores():
    """All scores equal: every distribution is feasible, and the farthest is the least attended token."""
    alpha = jnp.array([0.5, 0.3, 0.2])
    found = ONE(alpha, jnp.full((3, 1), 0.7), jnp.ones(3, bool), 0.01)
    np.testing.assert_allclose(found.jsd, jsd(np.eye(3)[2], np.asarray(alpha)), atol=1e-6)


def test_epsilon_zero_brackets_the_hyperplane():
    alpha, logits, mask = cases(5, 200, 7, 1)
    found = MANY(alpha, logits, mask, 0.0)
    for a, logit, other, bound in zip(alpha, logits, np.asarray(found.alpha), found.upper_bound, strict=True):
        np.testing.assert_array_equal(other, a)  # the only point that float32 can vouch for
        assert optimum(a, logit, 1e-9) <= float(bound)


@pytest.mark.parametrize("epsilon", [1.0, 5.0, 1])
def test_large_epsilon_frees_the_whole_simplex(epsilon):
    alpha, logits, mask = cases(6, 200, 7, 1)
    found = MANY(alpha, logits, mask, epsilon)
    free = [max(jsd(e, a) for e in np.eye(7)) for a in alpha]
    np.testing.assert_allclose(found.jsd, free, atol=1e-6)
    assert (found.upper_bound <= LN2 + 1e-6).all()


@pytest.mark.parametrize("classes", [1, 2])
def test_padding_changes_nothing(classes):
    alpha, logits, mask = cases(7, 200, 7, classes)
    plain = MANY(alpha, logits, mask, 0.02)
    padded = MANY(*garbage_padding(alpha, logits, mask, 5), 0.02)
    for name in ("jsd", "upper_bound", "valid"):
        np.testing.assert_allclose(getattr(plain, name), getattr(padded, name), atol=1e-6)
    np.testing.assert_allclose(plain.alpha, padded.alpha[:, :7], atol=1e-5)
    assert float(jnp.abs(padded.alpha[:, 7:]).max()) == 0


def test_vmap_equals_loop_with_epsilon_traced_or_not():
    alpha, logits, mask = cases(8, 10, 5, 1)
    many = jax.jit(jax.vmap(certify.max_jsd))(alpha, logits, mask, jnp.full(10, 0.03))
    for row in range(10):
        one = ONE(alpha[row], logits[row], mask[row], 0.03)
        for ours, theirs in zip(one, many, strict=True):
            np.testing.assert_allclose(ours, theirs[row], atol=2e-6)


def test_blocks_equal_one_block(monkeypatch):
    from attn_jax.certify import vertices

    alpha, logits, mask = cases(10, 200, 7, 1)
    whole = MANY(alpha, logits, mask, 0.01)
    monkeypatch.setattr(vertices, "BLOCK_BYTES", 7 * 4 * 2)
    # A new function, so that nothing compiled with the old budget is found again.
    blocks = vectorised(lambda *inputs: certify.max_jsd(*inputs), 0, 0, 0, None)(alpha, logits, mask, 0.01)
    np.testing.assert_allclose(whole.jsd, blocks.jsd, atol=1e-6)
    np.testing.assert_allclose(whole.upper_bound, blocks.upper_bound, atol=1e-6)


def test_four_thousand_tokens():
    alpha, logits, mask = cases(11, 1, 4000, 1, scale=3.0)
    found = MANY(alpha, logits, mask, 0.01)
    assert moved(np.asarray(found.alpha)[0], alpha[0], logits[0]) <= 0.01
    assert float(found.jsd[0]) <= float(found.upper_bound[0]) < LN2 + 1e-6
    assert float(found.jsd[0]) > 0.69
