"""One direction of an LSTM over a batch of texts at once, there and back; arrays are time first.

The way back, which the compiler would have to invent, is written by hand. Neither way makes a step from
`until` on, where the whole batch has nothing but padding.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int

Carries = tuple[Float[Array, "B D"], Float[Array, "B D"]]
Until = int | Int[Array, ""]  # the place from which on every text of a batch is padding, or the whole length


class Kept(NamedTuple):
    """A batch that was read: all that the way back needs. Past the batch's last token nothing is meant."""

    end: Carries
    cells: Float[Array, "T B D"]  # after each step; that of the step before on padding
    states: Float[Array, "T B D"]
    opened: Float[Array, "T B G"]  # the gates after their squashing functions


def forward(
    reverse: bool,
    until: Until,
    recurrent: Float[Array, "D G"],
    gates: Float[Array, "T B G"],
    valid: Bool[Array, "T B"],
    start: Carries,
) -> Kept:
    """The batch read from `start`; `gates` are the input's part, in the order i, f, g, o."""

    def step(carry: Carries, now: tuple[Array, Array]) -> tuple[Carries, tuple[Array, ...]]:
        (cell, hidden), (given, real) = carry, now
        opened = _opened(given + hidden @ recurrent)
        i, f, g, o = jnp.split(opened, 4, -1)
        new_cell = f * cell + i * g
        cell = jnp.where(real[:, None], new_cell, cell)
        hidden = jnp.where(real[:, None], o * jnp.tanh(new_cell), hidden)
        return (cell, hidden), (cell, hidden, opened)

    # Padding after the last token leaves a text that is read backwards at its start.
    began = [jnp.broadcast_to(c[None], (*valid.shape, c.shape[1])) for c in start]
    blank = (*began, jnp.zeros_like(gates))
    end, read = _steps(step, start, (gates, valid), blank, until, reverse)
    return Kept(end, *read)


def _steps(
    step: Callable[[Any, Any], tuple[Any, Any]],
    start: Any,
    given: Any,
    blank: Any,
    until: Until,
    reverse: bool,
) -> tuple[Any, Any]:
    """`lax.scan` along the first axis, of the places before `until`; what comes after stays `blank`."""

    def at(i: Int[Array, ""], loop: tuple[Any, Any]) -> tuple[Any, Any]:
        carry, made = loop
        t = until - 1 - i if reverse else i
        now = jax.tree.map(lambda a: jax.lax.dynamic_index_in_dim(a, t, 0, keepdims=False), given)
        carry, new = step(carry, now)
        return carry, jax.tree.map(lambda a, b: jax.lax.dynamic_update_index_in_dim(a, b, t, 0), made, new)

    return jax.lax.fori_loop(0, until, at, (start, blank))


def _opened(gates: Float[Array, "B G"]) -> Float[Array, "B G"]:
    """Sigmoids of i, f and o, tanh of g: as sigmoid(x) = (1 + tanh(x/2)) / 2 it is one function of all."""
    size = gates.shape[-1] // 4
    half = jnp.concatenate([jnp.full(2 * size, 0.5), jnp.ones(size), jnp.full(size, 0.5)]).astype(gates.dtype)
    return jnp.tanh(gates * half[None]) * half[None] + (1.0 - half)[None]


def backward(
    reverse: bool,
    until: Until,
    recurrent: Float[Array, "D G"],
    valid: Bool[Array, "T B"],
    start: Carries,
    kept: Kept,
    d_end: Carries,
    d_states: Float[Array, "T B D"],
) -> tuple[Carries, Float[Array, "T B G"]]:
    """Slopes in the start and in the gates; those of the states are 0 on padding."""

    def step(carry: Carries, now: tuple[Array, ...]) -> tuple[Carries, Array]:
        (d_cell, d_hidden), (d_state, cell, before, opened, real) = carry, now
        (i, f, g, o), squashed, real = jnp.split(opened, 4, -1), jnp.tanh(cell), real[:, None]
        d_hidden = d_hidden + d_state
        d_new = d_cell + d_hidden * o * (1.0 - squashed * squashed)
        each = d_new * g * i * (1.0 - i), d_new * before * f * (1.0 - f), d_new * i * (1.0 - g * g)
        d_gates = jnp.concatenate([*each, d_hidden * squashed * o * (1.0 - o)], -1)
        d_gates = jnp.where(real, d_gates, 0.0)
        carry = jnp.where(real, d_new * f, d_cell), jnp.where(real, d_gates @ recurrent.T, d_hidden)
        return carry, d_gates

    before = before_each(kept.cells, start[0], reverse)
    each = (d_states, kept.cells, before, kept.opened, valid)
    return _steps(step, d_end, each, jnp.zeros_like(kept.opened), until, not reverse)


def before_each(
    after: Float[Array, "T B D"], start: Float[Array, "B D"], reverse: bool
) -> Float[Array, "T B D"]:
    """What each step began with, from what each step ended with."""
    return (
        jnp.concatenate([after[1:], start[None]]) if reverse else jnp.concatenate([start[None], after[:-1]])
    )
