import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from attn_jax.ranking import kendall_tau

taus = jax.jit(jax.vmap(kendall_tau))


def oracle(x, y, mask):
    pairs = [stats.kendalltau(a[m], b[m]) for a, b, m in zip(x, y, mask, strict=True)]
    return np.array([p.statistic for p in pairs]), np.array([p.pvalue for p in pairs])


@pytest.mark.parametrize("length", [2, 5, 33, 34, 80])
@pytest.mark.parametrize("levels", [None, 6, 2])
def test_equals_scipy_with_and_without_ties(length, levels):
    rng = np.random.default_rng(length)
    x, y = rng.normal(size=(2, 40, length)).astype(np.float32)
    y = y + 0.7 * x
    if levels:
        x, y = (np.floor(a * levels / 4) for a in (x, y))
    mask = np.arange(length)[None] < rng.integers(2, length + 1, size=(40, 1))
    tau, p = taus(x, y, mask)
    expected_tau, expected_p = oracle(x, y, mask)
    np.testing.assert_allclose(tau, expected_tau, atol=1e-5)
    np.testing.assert_allclose(p, expected_p, atol=1e-5)


@pytest.mark.parametrize("order", [1, -1])
def test_perfect_orders(order):
    for n in (2, 3, 8, 33):
        x = np.arange(n, dtype=np.float32)
        tau, p = kendall_tau(jnp.asarray(x), jnp.asarray(order * x), jnp.ones(n, bool))
        expected = stats.kendalltau(x, order * x)
        np.testing.assert_allclose([tau, p], [expected.statistic, expected.pvalue], atol=1e-6)
        assert abs(tau) <= 1  # of 28 pairs: the root squared is less than 28 in float32


def test_undefined_is_nan():
    ones, mask = jnp.ones(4), jnp.array([True, True, True, False])
    assert np.isnan(kendall_tau(ones, jnp.arange(4.0), mask)).all()
    assert np.isnan(kendall_tau(jnp.arange(4.0), jnp.arange(4.0), jnp.arange(4) < 1)).all()
    assert np.isnan(kendall_tau(jnp.arange(4.0), jnp.arange(4.0), jnp.zeros(4, bool))).all()


def test_masked_entries_never_matter():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 12)).astype(np.float32)
    mask = np.arange(12) % 3 != 0
    a = kendall_tau(jnp.asarray(x), jnp.asarray(y), jnp.asarray(mask))
    b = kendall_tau(jnp.where(mask, x, 7.0), jnp.where(mask, y, -9.0), jnp.asarray(mask))
    np.testing.assert_array_equal(a, b)


def test_long_documents_go_through_blocks_without_overflow():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 4000)).astype(np.float32)
    tau, p = jax.jit(kendall_tau)(x, y + 0.05 * x, np.ones(4000, bool))
    expected = stats.kendalltau(x, y + 0.05 * x)
    np.testing.assert_allclose([tau, p], [expected.statistic, expected.pvalue], atol=1e-5)


@pytest.mark.parametrize("seed", range(3))
def test_p_values_of_heavy_ties_in_a_few_tokens(seed):
    """Every term of the variance counts where groups are large and tokens few; scipy to six digits."""
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 3, (2, 60, 9)).astype(np.float32)
    mask = np.arange(9)[None] < rng.integers(3, 10, (60, 1))
    tied = [len(set(a[m])) > 1 and len(set(b[m])) > 1 for a, b, m in zip(x, y, mask, strict=True)]
    x, y, mask = x[tied], y[tied], mask[tied]
    expected_tau, expected_p = oracle(x, y, mask)
    tau, p = taus(x, y, mask)
    np.testing.assert_allclose(tau, expected_tau, atol=1e-6)
    np.testing.assert_allclose(p, expected_p, rtol=1e-5)


def test_exact_p_values_of_every_score():
    """All orders of up to six tokens: each number of discordant pairs, the middle one too."""
    for n in range(2, 7):
        orders = np.array(list(itertools.permutations(range(n))), np.float32)[:: max(1, n - 3)]
        padded = np.zeros((len(orders), 6), np.float32)
        padded[:, :n] = orders
        x, mask = np.tile(np.arange(6, dtype=np.float32), (len(orders), 1)), np.arange(6) < n
        mask = np.tile(mask, (len(orders), 1))
        found, (_, expected) = taus(x, padded, mask), oracle(x, padded, mask)
        np.testing.assert_allclose(found.p_value, expected, rtol=1e-5)
