"""Random orders by networks: sorted as numpy sorts, drawn as jax draws, uniform even where keys tie."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.extend.random import threefry2x32_p
from scipy import stats

from attn_jax import rng as streams
from attn_jax import shuffling
from attn_jax.models.alterations import permute


@pytest.mark.parametrize("size", [1, 2, 8, 64])
def test_the_network_sorts_every_column(size):
    keys = jax.random.bits(jax.random.key(size), (size, 5))
    np.testing.assert_array_equal(shuffling._sort_columns(keys), np.sort(keys, 0))


def test_words_are_the_blocks_of_threefry():
    rng = jax.random.key(3)
    found = streams.words(rng, 7, 4)
    key = jax.random.bits(rng, (2,))
    rows, columns = (jnp.asarray(a, jnp.uint32) for a in np.indices((4, 4)))
    blocks = threefry2x32_p.bind(jnp.full((4, 4), key[0]), jnp.full((4, 4), key[1]), rows, columns)
    np.testing.assert_array_equal(found[::2], blocks[0])
    np.testing.assert_array_equal(found[1::2], blocks[1][:3])
    np.testing.assert_array_equal(streams.words(rng, 12, 6)[:7, :4], found)


def test_orders_name_every_row_once_the_others_last():
    found = np.asarray(shuffling.orders(jax.random.key(0), jnp.int32(6), 9, 50))
    np.testing.assert_array_equal(np.sort(found[:6], 0), np.arange(6)[:, None].repeat(50, 1))
    np.testing.assert_array_equal(found[6:], np.arange(6, 9)[:, None].repeat(50, 1))


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("samples", [1, 3])
def test_all_orders_of_four_are_equally_likely(samples, tied, monkeypatch):
    """With one random bit a key most samples hold a tie, and each is uniform all the same."""
    if tied:
        monkeypatch.setattr(shuffling, "_NAME_BITS", 31)
    alpha, mask = jnp.array([0.0, 0.1, 0.2, 0.0, 0.3, 0.4]), jnp.array([0, 1, 1, 0, 1, 1], bool)
    rngs = jax.random.split(jax.random.key(5), 12_000)
    found = jax.jit(jax.vmap(lambda rng: permute(rng, alpha, mask, samples)))(rngs)[:, -1][:, mask]
    names = np.rint(np.asarray(found) * 10).astype(int) @ 10 ** np.arange(4)
    orders = [np.dot(order, 10 ** np.arange(4)) for order in itertools.permutations([1, 2, 3, 4])]
    counts = [(names == order).sum() for order in orders]
    assert sum(counts) == 12_000
    assert stats.chisquare(counts).pvalue > 1e-3


def test_samples_of_one_instance_are_independent():
    """Which weight two samples put on a token, counted together over many instances."""
    alpha, mask = jnp.array([0.1, 0.2, 0.7]), jnp.ones(3, bool)
    rngs = jax.random.split(jax.random.key(6), 9_000)
    found = jax.jit(jax.vmap(lambda rng: permute(rng, alpha, mask, 2)))(rngs)[:, :, 0]
    pairs = np.asarray(jnp.searchsorted(alpha, found)) @ np.array([3, 1])
    assert stats.chisquare(np.bincount(pairs, minlength=9)).pvalue > 1e-3
