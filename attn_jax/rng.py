"""Random numbers as named streams: adding an analysis never changes another's draws."""

import zlib

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Int, Key, UInt32

from attn_jax.types import AnyArray


def root(seed: int) -> Key[Array, ""]:
    """The key that every stream of one seed descends from."""
    return jax.random.key(seed)


def stream(rng: Key[Array, ""], name: str) -> Key[Array, ""]:
    """The stream called `name`. CRC-32 is stable across processes, unlike `hash`."""
    return jax.random.fold_in(rng, zlib.crc32(name.encode()))


def instance(rng: Key[Array, ""], index: Int[AnyArray, ""]) -> Key[Array, ""]:
    """An instance's own stream: the same draws in whatever batch, bucket or host it lands."""
    return jax.random.fold_in(rng, index)


_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))


def words(rng: Key[Array, ""], rows: int, columns: int) -> UInt32[Array, "rows columns"]:
    """Random words; more rows or columns leave the others as they were.

    Threefry-2x32 with 20 rounds (Salmon et al. 2011), as in `jax.random.bits`, but unrolled, and both words
    of a block are used: on a CPU the fifth part of its time.
    """
    key = jax.random.bits(rng, (2,), jnp.uint32)
    shape = (-(-rows // 2), columns)
    counters = [jax.lax.broadcasted_iota(jnp.uint32, shape, axis) for axis in (0, 1)]
    return jnp.stack(_threefry(key, *counters), 1).reshape(-1, columns)[:rows]


def _threefry(
    key: UInt32[Array, "2"], x: UInt32[Array, "*N"], y: UInt32[Array, "*N"]
) -> tuple[UInt32[Array, "*N"], UInt32[Array, "*N"]]:
    keys = (key[0], key[1], key[0] ^ key[1] ^ np.uint32(0x1BD11BDA))
    x, y = x + keys[0], y + keys[1]
    for group in range(5):
        for turn in _ROTATIONS[group % 2]:
            x = x + y
            y = x ^ (y << np.uint32(turn) | y >> np.uint32(32 - turn))
        x, y = x + keys[(group + 1) % 3], y + keys[(group + 2) % 3] + np.uint32(group + 1)
    return x, y
