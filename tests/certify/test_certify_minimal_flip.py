import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from certify_cases import cases, garbage_padding, vectorised

from attn_jax import certify

ONE = jax.jit(certify.minimal_flip)
MANY = vectorised(certify.minimal_flip, 0, 0, 0)
ALONG = vectorised(certify.flip_at, 0, 0, 0, 0)
# Every subset of seven tokens that leaves something, smallest first.
SUBSETS = np.array([s for s in sorted(itertools.product([False, True], repeat=7), key=sum) if 0 < sum(s) < 7])


def flipped(alpha, token_logits, removed):
    """The predicate in float64, from the renormalised attention."""
    logits = np.asarray(token_logits, np.float64)
    if logits.shape[1] == 1:
        logits = np.concatenate([np.zeros_like(logits), logits], 1)
    here = alpha.astype(np.float64)
    kept = np.where(removed, 0, here)
    left = kept @ logits
    decision = (here @ logits).argmax()
    lead = np.delete(left - left[..., [decision]], decision, -1).max(-1)
    return (kept.sum(-1) > 0) & (lead > 1e-6 * np.abs(logits).max())


@pytest.mark.parametrize("classes", [1, 2, 3])
def test_all_subsets(classes):
    alpha, logits, mask = cases(classes, 200, 7, classes)
    found = MANY(alpha, logits, mask)
    sizes = SUBSETS.sum(-1)
    seen = set()
    for row in range(200):
        flips = flipped(alpha[row], logits[row], SUBSETS)
        assert bool(found.flips[row]) == flips.any()
        assert int(found.count[row]) == (sizes[flips].min() if flips.any() else 7)
        if flips.any():
            assert flipped(alpha[row], logits[row], np.asarray(found.removed[row]))
            assert int(found.removed[row].sum()) == int(found.count[row])
        else:
            assert not found.removed[row].any()
        seen.add(int(found.count[row]))
    assert len(seen) > 3


def test_no_ordering_beats_it():
    """Quantised values make ties and near-ties common; the predicate is exact, so <= holds everywhere."""
    draw = np.random.default_rng(0)
    alpha = draw.integers(0, 4, (500, 12)).astype(np.float32)
    alpha[:, 0] += 1
    alpha /= alpha.sum(-1, keepdims=True)
    logits = draw.integers(-2, 3, (500, 12, 3)).astype(np.float32) * np.float32(0.1)
    mask = np.ones((500, 12), bool)
    found = MANY(alpha, logits, mask)
    for _ in range(40):
        order = np.argsort(draw.random((500, 12)), -1).astype(np.int32)
        along = ALONG(order, alpha, logits, mask)
        assert (found.count <= along.count).all()
        assert (found.flips | ~along.flips).all()
    assert bool(found.flips.any())
    assert not bool(found.flips.all())


@pytest.mark.parametrize("power", [-40, -6, 12, 40])
def test_only_ratios_of_logits_count(power):
    """A power of two rounds nothing: neither the decision nor what is counted as a tie may change."""
    alpha, logits, mask = cases(6, 100, 7, 3)
    logits[:50] = np.round(logits[:50])  # ties too
    plain, scaled = MANY(alpha, logits, mask), MANY(alpha, logits * np.float32(2.0**power), mask)
    for ours, theirs in zip(plain, scaled, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_its_own_order_attains_the_count():
    alpha, logits, mask = cases(4, 100, 12, 3)
    found = MANY(alpha, logits, mask)
    order = np.argsort(~np.asarray(found.removed), -1, kind="stable").astype(np.int32)
    along = ALONG(order, alpha, logits, mask)
    np.testing.assert_array_equal(along.flips, found.flips)
    np.testing.assert_array_equal(along.count, found.count)


def test_along_an_order_equals_a_loop():
    alpha, logits, mask = cases(5, 60, 7, 1)
    order = np.argsort(-alpha, -1).astype(np.int32)
    along = ALONG(order, alpha, logits, mask)
    for row in range(60):
        prefixes = [np.isin(np.arange(7), order[row, :k]) for k in range(1, 7)]
        flips = [k for k, removed in enumerate(prefixes, 1) if flipped(alpha[row], logits[row], removed)]
        assert (int(along.count[row]), bool(along.flips[row])) == ((flips[0], True) if flips else (7, False))


def test_zero_weights_are_never_removed():
    alpha = jnp.array([0.0, 0.5, 0.0, 0.3, 0.2])
    logits = jnp.array([[9.0], [2.0], [9.0], [-1.0], [-2.0]])
    found = ONE(alpha, logits, jnp.ones(5, bool))
    np.testing.assert_array_equal(found.removed, [False, True, False, False, False])
    along = jax.jit(certify.flip_at)(jnp.arange(5), alpha, logits, jnp.ones(5, bool))
    assert (int(along.count), bool(along.flips)) == (1, True)  # the zero before it is passed over


@pytest.mark.parametrize(
    ("alpha", "logits", "mask"),
    [
        ([1.0], [[3.0]], [True]),
        ([0.0, 0.0], [[3.0], [-3.0]], [False, False]),
        ([0.5, 0.5], [[1.0], [1.0]], [True, True]),
        ([0.5, 0.5], [[0.0], [0.0]], [True, True]),
        ([0.5, 0.5], [[200.0], [150.0]], [True, True]),
    ],
    ids=["one token", "nothing attendable", "tied", "all zero", "saturated"],
)
def test_never_flips(alpha, logits, mask):
    found = ONE(jnp.array(alpha), jnp.array(logits), jnp.array(mask))
    assert int(found.count) == sum(mask)
    assert not found.flips
    assert not found.removed.any()


def test_the_lowest_index_goes_first_among_ties():
    found = ONE(jnp.full(4, 0.25), jnp.array([[1.0], [1.0], [1.0], [-1.5]]), jnp.ones(4, bool))
    np.testing.assert_array_equal(found.removed, [True, True, False, False])


@pytest.mark.parametrize("classes", [1, 3])
@pytest.mark.parametrize("scale", [2.0, 2e-6])  # the unit of margins is the largest logit's, however small
def test_padding_changes_nothing(classes, scale):
    alpha, logits, mask = cases(7, 20, 7, classes, scale=scale)
    plain, padded = MANY(alpha, logits, mask), MANY(*garbage_padding(alpha, logits, mask, 4))
    np.testing.assert_array_equal(plain.count, padded.count)
    np.testing.assert_array_equal(plain.flips, padded.flips)
    np.testing.assert_array_equal(plain.removed, padded.removed[:, :7])
    assert not padded.removed[:, 7:].any()


def test_vmap_equals_loop():
    alpha, logits, mask = cases(8, 5, 7, 3)
    many = MANY(alpha, logits, mask)
    for row in range(5):
        for ours, theirs in zip(ONE(alpha[row], logits[row], mask[row]), many, strict=True):
            np.testing.assert_array_equal(ours, theirs[row])
