"""Which of several models are trained in one program, and on which devices.

Accelerators are filled by the stack, of which each has its share. A core is busy with one model already, and
multiplies the matrices of one faster than a stack of them: there the program trains one model on each core,
and as many more have their turn after these.
"""

import dataclasses
from collections.abc import Sequence
from typing import TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Int

from attn_jax import devices
from attn_jax.devices import ALONE, Devices
from attn_jax.types import AnyArray

Tree = TypeVar("Tree")


@dataclasses.dataclass(frozen=True)
class Lanes:
    """How many turns, of as many models each, and the devices that the models of one are divided over."""

    turns: int
    place: Devices

    def apart(self, stacked: Tree, axis: int = 0) -> list[Tree]:
        """A stack of parameters, or of anything a model has of its own, a turn."""
        if self._whole:
            return [stacked]
        size = jax.tree.leaves(stacked)[0].shape[axis] // self.turns
        starts = range(0, size * self.turns, size)
        return [self.place.spread(_taken(stacked, jnp.int32(start), size, axis), axis) for start in starts]

    def split(self, rows: Tree) -> list[Tree]:
        """The same for arrays of the host."""
        leaves, structure = jax.tree.flatten(rows)
        parts = zip(*(np.split(leaf, self.turns) for leaf in leaves), strict=True)
        return [self.place.spread(structure.unflatten(part)) for part in parts]

    def together(self, parts: Sequence[Tree], axis: int = 0) -> Tree:
        """One stack again, on the default device."""
        if self._whole:
            return parts[0]
        return _joined(list(parts) if self.place.mesh is None else jax.device_get(parts), axis)

    @property
    def _whole(self) -> bool:
        return self.turns == 1 and self.place.mesh is None


def of(count: int, over: int) -> Lanes:
    """Lanes of so many models on at most so many of this process' devices, as many as have equal shares."""
    used = max(number for number in range(1, over + 1) if count % number == 0)
    turns = count // used if jax.default_backend() == "cpu" else 1
    return Lanes(turns, devices.over(jax.local_devices()[:used]) if used > 1 else ALONE)


@jax.jit(static_argnames=("size", "axis"))
def _taken(stacked: Tree, start: Int[AnyArray, ""], size: int, axis: int) -> Tree:
    return jax.tree.map(lambda leaf: jax.lax.dynamic_slice_in_dim(leaf, start, size, axis), stacked)


@jax.jit(static_argnames="axis")
def _joined(parts: list[Tree], axis: int) -> Tree:
    return jax.tree.map(lambda *leaves: jnp.concatenate(leaves, axis), *parts)
