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
    """The models of each turn by number, and the devices that these are divided over.

    All turns are of one size, so that one program serves them: the last repeats its last model if need be.
    """

    count: int
    turns: tuple[tuple[int, ...], ...]
    place: Devices

    def apart(self, stacked: Tree, axis: int = 0) -> list[Tree]:
        """A stack of parameters, or of anything a model has of its own, a turn."""
        if self._whole:
            return [stacked]
        return [self.place.spread(_taken(stacked, np.array(turn), axis), axis) for turn in self.turns]

    def split(self, rows: Tree) -> list[Tree]:
        """The same for arrays of the host."""
        if self._whole:
            return [rows]
        indices = map(np.array, self.turns)
        return [self.place.spread(jax.tree.map(lambda leaf, i=i: leaf[i], rows)) for i in indices]

    def together(self, parts: Sequence[Tree], axis: int = 0) -> Tree:
        """One stack again, on the default device."""
        if self._whole:
            return parts[0]
        return _joined(list(parts) if self.place.mesh is None else jax.device_get(parts), self.count, axis)

    @property
    def _whole(self) -> bool:
        return len(self.turns) == 1 and self.place.mesh is None


def of(count: int, over: int) -> Lanes:
    """Lanes of so many models on at most so many of this process' devices."""
    each = -(-count // over)
    used = -(-count // each)
    turns = each if jax.default_backend() == "cpu" else 1
    size = used * each // turns
    numbers = np.minimum(np.arange(turns * size), count - 1).reshape(turns, size)
    place = devices.over(jax.local_devices()[:used]) if used > 1 else ALONE
    return Lanes(count, tuple(map(tuple, numbers.tolist())), place)


@jax.jit(static_argnames="axis")
def _taken(stacked: Tree, index: Int[AnyArray, "N"], axis: int) -> Tree:
    return jax.tree.map(lambda leaf: leaf[(slice(None),) * axis + (index,)], stacked)


@jax.jit(static_argnames=("count", "axis"))
def _joined(parts: list[Tree], count: int, axis: int) -> Tree:
    def join(*leaves):
        return jax.lax.slice_in_dim(jnp.concatenate(leaves, axis), 0, count, axis=axis)

    return jax.tree.map(join, *parts)
