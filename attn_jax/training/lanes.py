"""Which of several models are trained in one program: all on an accelerator, each alone on a CPU.

An accelerator is filled by the stack. A core is busy with one model already, and multiplies the matrices of
one faster than a stack of them; there every model runs the one compiled program in its turn.
"""

from collections.abc import Sequence
from typing import TypeVar

import jax
import jax.numpy as jnp

Tree = TypeVar("Tree")


def apart(stacked: Tree) -> list[Tree]:
    """What is trained together: the stack as it is, or stacks of one each."""
    if jax.default_backend() != "cpu":
        return [stacked]
    size = jax.tree.leaves(stacked)[0].shape[0]
    return [_slice(stacked, number) for number in range(size)]


def split(rows: Tree, count: int) -> list[Tree]:
    """Arrays of the host in as many parts as there are lanes."""
    size = jax.tree.leaves(rows)[0].shape[0] // count
    return [jax.tree.map(lambda leaf, i=i: leaf[i * size : (i + 1) * size], rows) for i in range(count)]


def together(parts: Sequence[Tree]) -> Tree:
    """One stack again."""
    return parts[0] if len(parts) == 1 else _joined(list(parts))


@jax.jit(static_argnums=1)
def _slice(stacked: Tree, number: int) -> Tree:
    return jax.tree.map(lambda leaf: leaf[number : number + 1], stacked)


@jax.jit
def _joined(parts: list[Tree]) -> Tree:
    return jax.tree.map(lambda *leaves: jnp.concatenate(leaves), *parts)
