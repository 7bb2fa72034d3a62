"""Uniform permutations, many at once: sorting networks on random integers, no call of a comparator.

Rows are places, columns samples, so that every step is arithmetic on whole rows.
"""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Bool, Float, Int, Key, UInt32

from attn_jax import rng as streams
from attn_jax.types import AnyArray

_LAST = np.uint32(0xFFFFFFFF)
# Bits of a key that name its row. Not fewer for shorter texts: padding would change the random part.
_NAME_BITS = 13


def once(rng: Key[Array, ""], values: Float[Array, "T"], mask: Bool[AnyArray, "T"]) -> Float[Array, "T"]:
    """The attendable values in random order, those of the other places behind them."""
    # 32 random bits a place: two of n tie once in 2^33 / n^2 draws.
    drawn = jnp.minimum(jax.random.bits(rng, (mask.shape[0], 1), jnp.uint32)[:, 0], _LAST - 1)
    _, shuffled = jax.lax.sort((jnp.where(mask, drawn, _LAST), values), num_keys=1)
    return shuffled


def orders(rng: Key[Array, ""], count: Int[Array, ""], size: int, samples: int) -> Int[Array, "T K"]:
    """Random orders of the rows 0 to `count`, one a column; the other rows follow.

    A key is 19 random bits and the number of its row, so a tie leaves two rows as they were. Of values
    that were shuffled `once` before, each sample is then as uniform as they are, ties or not.
    """
    depth = max(size - 1, 0).bit_length()
    # As many rows as the network has: padding what was drawn would take longer than drawing more.
    row = jnp.arange(2**depth, dtype=jnp.uint32)[:, None]
    bits = max(_NAME_BITS, depth)
    drawn = jnp.where(row < count.astype(jnp.uint32), streams.words(rng, 2**depth, samples), _LAST)
    ordered = _sort_columns((drawn >> bits << bits) | row)[:size]
    return (ordered & np.uint32(2**bits - 1)).astype(jnp.int32)


def _sort_columns(keys: UInt32[Array, "T K"]) -> UInt32[Array, "T K"]:
    """Each column ascending, by Batcher's bitonic network (1968) on rows, a power of two of them."""
    depth = (keys.shape[0] - 1).bit_length()
    for merged, half in itertools.product(range(depth), range(depth)):
        if half <= merged:
            keys = _exchange(keys, 2 ** (merged - half), mirrored=half == 0)
    return keys


def _exchange(keys: UInt32[Array, "T K"], distance: int, *, mirrored: bool) -> UInt32[Array, "T K"]:
    """The smaller of each two rows goes up: rows at a distance, or mirrored in the middle of their block.

    Mirrored, two ascending halves of a block need no turning round before they are merged.
    """
    halves = keys.reshape(-1, 2, distance, keys.shape[1])
    upper, lower = halves[:, 0], halves[:, 1]
    lower = lower[:, ::-1] if mirrored else lower
    small, large = jnp.minimum(upper, lower), jnp.maximum(upper, lower)
    return jnp.stack([small, large[:, ::-1] if mirrored else large], 1).reshape(keys.shape)
