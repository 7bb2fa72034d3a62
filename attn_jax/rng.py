"""Random numbers as named streams: adding an analysis never changes another's draws."""

import zlib

import jax
from jax import Array
from jaxtyping import Int, Key

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
