"""The recurrence of one direction of an LSTM, and where each of its steps started.

Gates in PyTorch's order i, f, g, o, G = 4D of them; `gates` below are the input's part, computed beforehand.
"""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int

from attn_jax.types import AnyArray

Carry = tuple[Float[Array, "D"], Float[Array, "D"]]  # cell and hidden state of one direction


class Reading(NamedTuple):
    """A text read in one direction: all that another text needs that differs from it in one token."""

    recurrent: Float[Array, "D G"]
    gates: Float[Array, "T G"]
    valid: Bool[Array, "T"]
    starts: tuple[Float[Array, "T D"], Float[Array, "T D"]]  # the carry before each token is read
    states: Float[Array, "T D"]


def lstm_cell(
    recurrent: Float[Array, "H G"], carry: Carry, gates: Float[Array, "G"], valid: Bool[AnyArray, ""]
) -> tuple[Carry, Float[Array, "H"]]:
    """One step from the projected input `gates`, G = 4H.

    Padding leaves the carry as it was, so a reversed scan starts at the last real token.
    """
    cell, hidden = carry
    new_cell, new_hidden = lstm_gates(gates + hidden @ recurrent, cell)
    carry = jnp.where(valid, new_cell, cell), jnp.where(valid, new_hidden, hidden)
    return carry, jnp.where(valid, new_hidden, 0.0)


def lstm_gates(gates: Float[Array, "G"], cell: Float[Array, "D"]) -> Carry:
    """Cell and state after one step, from the pre-activations of all four gates."""
    i, f, g, o = jnp.split(gates, 4)
    new_cell = jax.nn.sigmoid(f) * cell + jax.nn.sigmoid(i) * jnp.tanh(g)
    return new_cell, jax.nn.sigmoid(o) * jnp.tanh(new_cell)


def carried(
    recurrent: Float[Array, "D G"],
    gates: Float[Array, "T G"],
    valid: Bool[AnyArray, "T"],
    start: Carry,
    *,
    reverse: bool,
) -> tuple[Carry, Float[Array, "T D"]]:
    """The carry at the end of a text read from `start`, and its states, 0 outside `valid`."""
    return jax.lax.scan(
        lambda carry, now: lstm_cell(recurrent, carry, *now), start, (gates, valid), reverse=reverse
    )


def read(
    recurrent: Float[Array, "D G"], gates: Float[Array, "T G"], valid: Bool[Array, "T"], *, reverse: bool
) -> Reading:
    """A text read from the zero state, with the carry before each step."""

    def step(carry: Carry, now: tuple[Array, Array]) -> tuple[Carry, tuple[Carry, Array]]:
        after, out = lstm_cell(recurrent, carry, *now)
        return after, (carry, out)

    zero = jnp.zeros(recurrent.shape[0], gates.dtype)
    _, (starts, states) = jax.lax.scan(step, (zero, zero), (gates, valid), reverse=reverse)
    return Reading(recurrent, gates, valid, starts, states)


def without(
    ahead: Reading, back: Reading, first: Int[Array, ""], block: int, until: Int[Array, ""]
) -> Float[Array, "T K H"]:
    """States of the K = `block` texts that each lack one of the tokens from `first` on.

    In either direction, what was read before these tokens is as it was: each text is read on from there,
    its own token skipped. From `until` on there is nothing but padding.
    """
    deleted, last = first + jnp.arange(block), first + block - 1
    states = jnp.concatenate([ahead.states, back.states], -1)
    states = jnp.broadcast_to(states[:, None], (states.shape[0], block, states.shape[1]))
    states = _read_on(ahead, deleted, states, 0, lambda i: first + i, until - first)
    return _read_on(back, deleted, states, back.states.shape[1], lambda i: last - i, last + 1)


def _read_on(
    reading: Reading,
    deleted: Int[Array, "K"],
    states: Float[Array, "T K H"],
    column: int,
    place: Callable[[Array], Array],
    steps: Int[Array, ""],
) -> Float[Array, "T K H"]:
    """The states with this direction's, from `column` on, replaced at each place that is read anew."""
    step = jax.vmap(lstm_cell, (None, 0, None, 0))

    def at(i: Int[Array, ""], loop: tuple[tuple[Array, Array], Array]) -> tuple[tuple[Array, Array], Array]:
        (carry, states), t = loop, place(i)
        carry, out = step(reading.recurrent, carry, reading.gates[t], reading.valid[t] & (deleted != t))
        return carry, jax.lax.dynamic_update_slice(states, out[None], (t, 0, column))

    start = tuple(
        jnp.broadcast_to(c[place(jnp.int32(0))], (len(deleted), c.shape[1])) for c in reading.starts
    )
    return jax.lax.fori_loop(0, steps, at, (start, states))[1]
