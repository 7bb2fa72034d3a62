import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from certify_cases import cases, feasible_points, garbage_padding, jsd, moved, simplex_grid, vectorised

from attn_jax import certify
from attn_jax.certify import multiclass

ONE = jax.jit(certify.max_jsd)
MANY = vectorised(certify.max_jsd, 0, 0, 0, None)


def twenty(alpha, logits, mask):
    """The same instances padded to T = 20, the one shape that is compiled here."""
    return garbage_padding(alpha, logits, mask, 20 - alpha.shape[1])


def enumerated(alpha, token_logits):
    """The best triple that keeps alpha's three logits, by barycentric coordinates in float64."""
    length = len(alpha)
    moved_by = token_logits.astype(np.float64) - alpha.astype(np.float64) @ token_logits
    plane = moved_by[:, 1:] - moved_by[:, :1]
    cross = plane[:, None, 0] * plane[None, :, 1] - plane[:, None, 1] * plane[None, :, 0]
    triples = np.array(list(itertools.combinations(range(length), 3)))
    i, j, k = triples.T
    weights = np.stack([cross[j, k], cross[k, i], cross[i, j]], -1)
    weights /= weights.sum(-1, keepdims=True)
    inside = (weights >= 0).all(-1)
    points = np.zeros((inside.sum(), length))
    np.put_along_axis(points, triples[inside], weights[inside], 1)
    return jsd(points, alpha).max(initial=0.0)


@pytest.mark.parametrize(("epsilon", "gap", "beyond"), [(0.01, 0.016, 0.0032), (0.05, 0.0101, 0.0128)])
def test_the_bracket_is_tight_on_the_suite(epsilon, gap, beyond):
    """Two hundred seeded instances: T = 20, C = 3, logits N(0, 2), alpha a softmax.

    `gap` and `beyond` are what was reached when this was written: the bracket's mean width, and by how much
    the tolerance carries the search beyond the best triple that keeps the logits.
    """
    alpha, logits, mask = cases(0, 200, 20, 3)
    found = MANY(alpha, logits, mask, epsilon)
    assert float((found.upper_bound - found.jsd).mean()) <= gap
    assert (found.jsd <= found.upper_bound).all()
    for row in range(200):
        other = np.asarray(found.alpha[row])
        assert moved(other, alpha[row], logits[row]) <= epsilon
        assert other.min() >= 0
        np.testing.assert_allclose(other.sum(), 1, atol=1e-6)
        np.testing.assert_allclose(jsd(other, alpha[row]), found.jsd[row], atol=1e-6)
    triples = np.array([enumerated(a, logit) for a, logit in zip(alpha, logits, strict=True)])
    assert (triples <= np.asarray(found.upper_bound, np.float64)).all()
    assert np.maximum(triples - np.asarray(found.jsd), 0).mean() < 0.0003
    assert (np.asarray(found.jsd) - triples).mean() > beyond


def test_what_all_tokens_have_in_common_hides_nothing_from_the_search():
    """Logits that differ by 1e-4 around the same vector: the exchange finds the triples that keep them."""
    alpha, logits, mask = cases(9, 200, 20, 3, scale=1e-4)
    logits += np.array([2.0, 1.0, 0.0], np.float32)
    found = MANY(alpha, logits, mask, 2.5e-6)
    triples = np.array([enumerated(a, logit) for a, logit in zip(alpha, logits, strict=True)])
    assert np.maximum(triples - np.asarray(found.jsd), 0).mean() < 0.0003


def test_a_push_that_is_allowed_gains(monkeypatch):
    alpha, logits, mask = cases(0, 50, 20, 3)
    means = []
    for allowed in range(2):
        monkeypatch.setattr(multiclass, "PUSHES", allowed)
        found = vectorised(lambda *inputs: multiclass.attained(*inputs), 0, 0, 0, None)
        means.append(jsd(found(alpha, logits, mask, 0.05), alpha).mean())
    assert means[1] > means[0]


def test_fine_grid_of_the_simplex():
    grid, epsilon = simplex_grid(200), 0.05
    alpha, logits, mask = cases(1, 200, 3, 3, peak=1.0)
    found = MANY(*twenty(alpha, logits, mask), epsilon)
    for a, logit, bound in zip(alpha, logits, np.asarray(found.upper_bound, np.float64), strict=True):
        inside = moved(grid, a, logit) <= epsilon
        assert jsd(grid[inside], a).max(initial=0.0) <= bound


@pytest.mark.parametrize("epsilon", [0.01, 0.2])
def test_random_feasible_points_never_beat_the_bound(epsilon):
    alpha, logits, mask = cases(3, 200, 8, 3)
    bounds = np.asarray(MANY(*twenty(alpha, logits, mask), epsilon).upper_bound, np.float64)
    for seed in range(3):
        points = feasible_points(seed, 100_000, alpha[seed], logits[seed], epsilon)
        assert jsd(points, alpha[seed]).max() <= bounds[seed]


def test_two_equal_logits_of_three_classes_reduce_to_the_binary_optimum():
    """With z_2 out of reach the third class carries nothing: the bracket closes on the binary answer."""
    alpha, logits, mask = cases(4, 200, 8, 2)
    with_dead_class = np.concatenate([logits, np.full((200, 8, 1), -60, np.float32)], -1)
    binary, ternary = MANY(alpha, logits, mask, 0.05), MANY(*twenty(alpha, with_dead_class, mask), 0.05)
    np.testing.assert_allclose(ternary.upper_bound, binary.upper_bound, atol=1e-4)
    assert (ternary.jsd <= binary.upper_bound).all()


def test_more_classes_than_tokens_or_pairs():
    alpha, logits, mask = cases(5, 20, 8, 40)
    found = MANY(alpha, logits, mask, 0.1)
    for row in range(20):
        assert moved(np.asarray(found.alpha[row]), alpha[row], logits[row]) <= 0.1
    assert (found.jsd > 0).all()
    assert (found.jsd <= found.upper_bound).all()


def test_degenerate_inputs():
    logits = (
        jnp.zeros((8, 3))
        .at[:3]
        .set(jnp.array([[200.0, 0.0, -200.0], [199.0, 3.0, 1.0], [-200.0, 0.0, 200.0]]))
    )
    alpha, everyone = jnp.zeros(8).at[:2].set(0.5), jnp.ones(8, bool)
    for epsilon in (0.0, 0.01, 1.0):
        found = ONE(alpha, logits, everyone, epsilon)
        assert all(bool(jnp.isfinite(part).all()) for part in found)
        assert float(found.jsd) <= float(found.upper_bound)
    single = ONE(jnp.eye(8)[1], logits, jnp.eye(8, dtype=bool)[1], 0.01)
    assert (float(single.jsd), float(single.upper_bound), bool(single.valid)) == (0.0, 0.0, True)
    nothing = ONE(jnp.zeros(8), logits, ~everyone, 0.01)
    assert (float(nothing.jsd), float(nothing.upper_bound), bool(nothing.valid)) == (0.0, 0.0, False)
    assert float(jnp.abs(nothing.alpha).max()) == 0
    falling = jnp.arange(8, 0, -1) / 36
    tied = ONE(falling, jnp.ones((8, 3)), everyone, 0.01)
    farthest = jsd(np.eye(8)[7], falling)
    np.testing.assert_allclose([tied.jsd, tied.upper_bound], farthest, atol=2e-6)


def test_padding_changes_nothing_and_vmap_equals_loop():
    alpha, logits, mask = cases(7, 4, 8, 3)
    repeated = (np.tile(part, (50,) + (1,) * (part.ndim - 1)) for part in (alpha, logits, mask))
    padded = jax.tree.map(lambda part: part[:4], MANY(*twenty(*repeated), 0.05))
    plain = jax.tree.map(
        lambda *parts: jnp.stack(parts), *(ONE(*one, 0.05) for one in zip(alpha, logits, mask, strict=True))
    )
    np.testing.assert_allclose(plain.upper_bound, padded.upper_bound, atol=1e-5)
    np.testing.assert_allclose(plain.jsd, padded.jsd, atol=1e-3)  # a search: rounding may part its ways
    assert float(jnp.abs(padded.alpha[:, 8:]).max()) == 0
