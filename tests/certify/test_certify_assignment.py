"""The Lagrangian bound against linear programming, and swaps against a plain loop over them."""

import itertools

import jax.numpy as jnp
import numpy as np
import pytest
from certify_cases import cases, garbage_padding, jsd, vectorised
from scipy.optimize import linprog

from attn_jax.certify import swaps
from attn_jax.certify.assignment import permutation_bound
from attn_jax.certify.slab import Slab

LENGTH = 7
# What `bracket` adds to the bound for the rounding of its own value.
ROUNDING = 4 * np.finfo(np.float32).eps
BOUND = vectorised(permutation_bound, 0, 0, 0, 0)


def instances(seed, count, half):
    """Cases with two places of padding, and a slab of that half width around s.alpha."""
    alpha, logits, mask = cases(seed, count, LENGTH, 1)
    here = np.einsum("bt,bt->b", alpha, logits[..., 0])
    alpha, logits, mask = garbage_padding(alpha, logits, mask, 2)
    faces = Slab(jnp.asarray(here - half), jnp.asarray(here + half))
    return alpha, jnp.where(mask, logits[..., 0], 0.0), faces, mask


def relaxed(alpha, s, low, high):
    """JSD to alpha maximised over mixtures of permutations, (value, each token's weight): float64.

    Weight a_j on token i gains -x(a_i + a_j)/2, x(v) = v ln v: the dual of this program is the bound.
    """
    a, s = alpha[:LENGTH].astype(float), s[:LENGTH].astype(float)
    total = a[:, None] + a[None]
    gain = -0.5 * total * np.log(total)
    once = np.stack([*(np.kron(row, np.ones(LENGTH)) for row in np.eye(LENGTH))])
    ever = np.stack([*(np.kron(np.ones(LENGTH), row) for row in np.eye(LENGTH))])
    moved = np.outer(s, a).ravel()
    found = linprog(
        -gain.ravel(),
        np.stack([moved, -moved]),
        [high, -low],
        np.concatenate([once, ever]),
        np.ones(2 * LENGTH),
    )
    constant = (a * np.log(a)).sum() + a.sum() * np.log(2)
    return constant - found.fun, found.x.reshape(LENGTH, LENGTH) @ a


@pytest.mark.parametrize(("half", "mean"), [(0.02, 7.5e-3), (0.1, 4.1e-3), (0.3, 2.7e-3)])
def test_the_bound_is_above_the_relaxed_optimum_and_near(half, mean):
    """How near is what sixteen iterations and twelve multipliers gave when this was written."""
    alpha, s, faces, mask = instances(round(10 * half), 60, half)
    found = BOUND(alpha, s, faces, mask)
    rows = [relaxed(*(np.asarray(part[row]) for part in (alpha, s, *faces))) for row in range(60)]
    gap = np.asarray(found.value) - np.array([value for value, _ in rows])
    assert gap.min() > -ROUNDING
    assert gap.mean() < mean
    assert np.median(gap) < 4e-4
    weights = np.stack([weight for _, weight in rows])
    assert np.abs(np.asarray(found.preferred)[:, :LENGTH] - weights).mean() < 0.0275
    np.testing.assert_array_equal(found.preferred[:, LENGTH:], 0)


@pytest.mark.parametrize(("side", "mean"), [(-1, 2.8e-3), (1, 1.6e-3)])
def test_a_slab_with_one_face_at_infinity(side, mean):
    """The binding face lies on either side of what the free optimum would be."""
    alpha, s, faces, mask = instances(3, 60, 0.05)
    infinite = jnp.full(60, jnp.inf)
    faces = Slab(faces.low, infinite) if side > 0 else Slab(-infinite, faces.high)
    found = BOUND(alpha, s, faces, mask)
    edges = Slab(*(np.clip(np.asarray(face), -1e3, 1e3) for face in faces))
    truth = [relaxed(*(np.asarray(part[row]) for part in (alpha, s, *edges)))[0] for row in range(60)]
    gap = np.asarray(found.value) - np.array(truth)
    assert gap.min() > -ROUNDING
    assert gap.mean() < mean
    assert np.median(gap) < 1e-4


def merit(weights, alpha, s, low, high):
    score = weights @ s
    over = max(low - score, score - high)
    return jsd(weights, alpha) if over <= 0 else -1 - over


def swapped(weights):
    """Every permutation that is one swap away."""
    for i, j in itertools.combinations(range(LENGTH), 2):
        other = weights.copy()
        other[[i, j]] = other[[j, i]]
        yield other


def climbed(weights, *constraint, most=100):
    """Steepest ascent, all swaps tried one by one in float64."""
    for _ in range(most):
        best = max(swapped(weights), key=lambda other: merit(other, *constraint))
        if merit(best, *constraint) <= merit(weights, *constraint) + 1e-7:
            break
        weights = best
    return weights


def ascend(start, alpha, s, faces, mask):
    def excess(score):
        return jnp.maximum(faces.low - score, score - faces.high)[..., 0]

    return swaps.ascend(start, alpha, s[:, None], excess, mask)


def plain(start, alpha, s, faces, most=100):
    """The same of a batch, in float64."""
    wide = [np.asarray(part, np.float64) for part in (alpha[:, :LENGTH], s[:, :LENGTH], *faces)]
    starts = start[:, :LENGTH].astype(float)
    return np.stack([climbed(one, *row, most=most) for one, *row in zip(starts, *wide, strict=True)])


@pytest.mark.parametrize("half", [0.05, 0.5])
def test_swaps_are_the_plain_steepest_ascent(half):
    """From alpha, which is feasible, and from its reverse, which mostly is not."""
    alpha, s, faces, mask = instances(4, 50, half)
    many = vectorised(ascend, 0, 0, 0, 0, 0)
    backwards = np.asarray(alpha).copy()
    backwards[:, :LENGTH] = backwards[:, :LENGTH][:, ::-1]
    same = 0
    for start in (np.asarray(alpha), backwards):
        ends, merits = many(start, alpha, s, faces, mask)
        np.testing.assert_array_equal(np.sort(ends), np.sort(alpha))
        np.testing.assert_array_equal(ends[:, LENGTH:], 0)
        for row in range(50):
            wide = [np.asarray(part[row], np.float64) for part in (alpha, s, *faces)]
            wide[:2] = wide[0][:LENGTH], wide[1][:LENGTH]
            end = np.asarray(ends[row, :LENGTH], np.float64)
            np.testing.assert_allclose(merits[row], merit(end, *wide), atol=1e-5)
            assert max(merit(other, *wide) for other in swapped(end)) < merits[row] + 1e-5
        same += np.isclose(ends[:, :LENGTH], plain(start, alpha, s, faces), atol=1e-6).all(1).sum()
    assert same >= 97  # of 100: two swaps that gain alike may be taken in either order


@pytest.mark.parametrize("most", [1, 2])
def test_the_ascent_is_cut_after_so_many_swaps(most, monkeypatch):
    """Its time is bounded on any text."""
    monkeypatch.setattr(swaps, "SWAPS", most)
    alpha, s, faces, mask = instances(4, 50, 0.5)
    start = np.asarray(alpha)
    ends, _ = vectorised(lambda *inputs: ascend(*inputs), 0, 0, 0, 0, 0)(start, alpha, s, faces, mask)
    cut, whole = plain(start, alpha, s, faces, most), plain(start, alpha, s, faces)
    assert np.isclose(ends[:, :LENGTH], cut, atol=1e-6).all(1).sum() >= 48  # of 50
    assert np.isclose(cut, whole, atol=1e-6).all(1).sum() < 25
