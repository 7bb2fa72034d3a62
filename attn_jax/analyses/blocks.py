"""Analyses that take fewer instances at once when memory runs out."""

from collections.abc import Callable, Mapping

import jax
import numpy as np

from attn_jax.types import Example

Analyse = Callable[[Example], Mapping[str, np.ndarray]]


class Blocks:
    """`analyse` of a batch, in blocks half as large each time that memory does not suffice.

    The size found stands for all later batches; `say` is told. Instances have their own random streams,
    so only rounding can depend on the size.
    """

    def __init__(self, analyse: Analyse, say: Callable[[str], object]):
        self._analyse, self._say = analyse, say
        self._size: int | None = None

    def __call__(self, batch: Example) -> dict[str, np.ndarray]:
        """The columns of all rows."""
        rows = len(batch.index)
        size = min(self._size or rows, rows)
        try:
            return self._in_blocks(batch, rows, size)
        except jax.errors.JaxRuntimeError as error:
            if size == 1 or not out_of_memory(error):
                raise
        self._size = -(-size // 2)
        self._say(f"Out of memory with {size} instances at once: going on with {self._size}.")
        return self(batch)

    def _in_blocks(self, batch: Example, rows: int, size: int) -> dict[str, np.ndarray]:
        starts = range(0, rows, size)
        found = [self._analyse(jax.tree.map(lambda a, i=i: a[i : i + size], batch)) for i in starts]
        return {name: np.concatenate([part[name] for part in found]) for name in found[0]}


def out_of_memory(error: BaseException) -> bool:
    """Whether the device's allocator gave up; XLA says so in the text alone."""
    return "RESOURCE_EXHAUSTED" in str(error)
