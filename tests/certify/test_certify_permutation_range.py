import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from certify_cases import cases, garbage_padding, vectorised

from attn_jax import certify

ONE = jax.jit(certify.permutation_range)
MANY = vectorised(certify.permutation_range, 0, 0, 0)
ORDERS = np.array(list(itertools.permutations(range(7))))


@pytest.mark.parametrize("classes", [1, 2, 3])
def test_all_permutations(classes):
    alpha, logits, mask = cases(classes, 200, 7, classes)
    found = MANY(alpha, logits, mask)
    for row in range(200):
        here = alpha[row].astype(np.float64)
        outputs = here[ORDERS] @ logits[row].astype(np.float64)
        np.testing.assert_allclose(found.low[row], outputs.min(0), atol=1e-5)
        np.testing.assert_allclose(found.high[row], outputs.max(0), atol=1e-5)
        natural = here @ logits[row].astype(np.float64)
        if classes == 1:
            margins = outputs if natural[0] > 0 else -outputs
            changes = ((outputs > 0) != (natural > 0)).any()
        else:
            margins = outputs[:, [natural.argmax()]] - outputs
            changes = (outputs.argmax(-1) != natural.argmax()).any()
        np.testing.assert_allclose(found.margin_low[row], margins.min(0), atol=1e-5)
        assert bool((found.margin_low[row] < 0).any()) == changes


def test_unpacks_in_order_and_holds_the_natural_logits():
    alpha, logits, mask = cases(5, 60, 7, 3)
    low, high, margin_low = MANY(alpha, logits, mask)
    here = np.einsum("bt,btc->bc", alpha, logits)
    assert (low <= here + 1e-6).all()
    assert (here <= high + 1e-6).all()
    assert margin_low.shape == (60, 3)


def test_length_one_and_nothing_attendable_and_ties():
    one = ONE(jnp.array([1.0, 0.0]), jnp.array([[2.0], [50.0]]), jnp.array([True, False]))
    np.testing.assert_allclose(jnp.stack(one), [[2.0], [2.0], [2.0]])
    none = ONE(jnp.zeros(2), jnp.array([[2.0], [50.0]]), jnp.zeros(2, bool))
    np.testing.assert_array_equal(jnp.stack(none), np.zeros((3, 1)))
    tied = ONE(jnp.array([0.7, 0.3]), jnp.full((2, 1), -1.0), jnp.ones(2, bool))
    np.testing.assert_allclose(jnp.stack(tied), [[-1.0], [-1.0], [1.0]])


def test_exact_zeros_and_saturated_logits():
    found = ONE(jnp.array([1.0, 0.0, 0.0]), jnp.array([[300.0], [-300.0], [0.0]]), jnp.ones(3, bool))
    np.testing.assert_array_equal(jnp.stack(found), [[-300.0], [300.0], [-300.0]])


@pytest.mark.parametrize("classes", [1, 3])
def test_padding_changes_nothing(classes):
    alpha, logits, mask = cases(7, 20, 7, classes)
    plain, padded = MANY(alpha, logits, mask), MANY(*garbage_padding(alpha, logits, mask, 4))
    for ours, theirs in zip(plain, padded, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-5)


def test_vmap_equals_loop():
    alpha, logits, mask = cases(8, 5, 7, 3)
    many = MANY(alpha, logits, mask)
    for row in range(5):
        for ours, theirs in zip(ONE(alpha[row], logits[row], mask[row]), many, strict=True):
            np.testing.assert_allclose(ours, theirs[row], atol=1e-5)
