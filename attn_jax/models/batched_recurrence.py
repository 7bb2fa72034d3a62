"""The recurrence of one direction of an LSTM over a batch of texts at once, for training.

`vmap` of the recurrence of one text gives the same numbers; its transpose, which the compiler would have to
invent, is written here by hand. What does not depend on the step before is computed for all steps together,
and the product for the recurrent weights is one of all texts and steps. Arrays are time first.
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float

from attn_jax.models.recurrence import Carry, carried
from attn_jax.types import AnyArray

Carries = tuple[Float[Array, "B D"], Float[Array, "B D"]]
Read = tuple[Carries, Float[Array, "T B D"]]


def carried_in_batches(
    recurrent: Float[Array, "D G"],
    gates: Float[Array, "T G"],
    valid: Bool[Array, "T"],
    start: Carry,
    *,
    reverse: bool,
) -> tuple[Carry, Float[Array, "T D"]]:
    """`recurrence.carried`, for grad(vmap) only: the weights of a batch have one gradient."""
    return _FORWARD_OR_BACK[reverse](recurrent, gates, valid, start)


def _one_direction(reverse: bool) -> Any:
    @jax.custom_batching.custom_vmap
    def one(recurrent: Array, gates: Array, valid: Array, start: Carry) -> tuple[Carry, Array]:
        return carried(recurrent, gates, valid, start, reverse=reverse)

    @one.def_vmap
    def _batch(size: int, batched: list, recurrent: Array, *rest: Any) -> Any:
        own_weights, *others = batched
        if own_weights:  # several models at once: nothing to share
            axes = jax.tree.map(lambda has: 0 if has else None, (own_weights, *others))
            found = jax.vmap(functools.partial(carried, reverse=reverse), axes)(recurrent, *rest)
        else:
            gates, valid, start = _whole(size, rest, tuple(others))
            read: Any = _read(reverse, recurrent, gates.swapaxes(0, 1), valid.T[..., None], start)
            end, states = read
            found = end, jnp.where(valid[..., None], states.swapaxes(0, 1), 0.0)
        return found, jax.tree.map(lambda _: True, found)

    return one


def _whole(size: int, texts: Any, batched: Any) -> Any:
    """Gates, marks and starts, each with an axis of so many texts."""

    def filled(values: AnyArray, batched: bool) -> Array:
        return jnp.asarray(values) if batched else jnp.broadcast_to(values, (size, *values.shape))

    return jax.tree.map(filled, texts, batched)


_FORWARD_OR_BACK = {reverse: _one_direction(reverse) for reverse in (False, True)}


@functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
def _read(
    reverse: bool,
    recurrent: Float[Array, "D G"],
    gates: Float[Array, "T B G"],
    valid: Bool[Array, "T B 1"],
    start: Carries,
) -> Read:
    """The carry at the end and the hidden state after each step, that of the step before on padding."""
    return _forward(reverse, recurrent, gates, valid, start)[0]


def _forward(reverse: bool, recurrent: Array, gates: Array, valid: Array, start: Carries) -> tuple[Read, Any]:
    def step(carry: Carries, now: tuple[Array, Array]) -> tuple[Carries, tuple[Array, ...]]:
        (cell, hidden), (given, real) = carry, now
        opened = _opened(given + hidden @ recurrent)
        i, f, g, o = jnp.split(opened, 4, -1)
        new_cell = f * cell + i * g
        cell = jnp.where(real, new_cell, cell)
        hidden = jnp.where(real, o * jnp.tanh(new_cell), hidden)
        return (cell, hidden), (cell, hidden, opened)

    end, (cells, states, opened) = jax.lax.scan(step, start, (gates, valid), reverse=reverse)
    return (end, states), (recurrent, valid, start, cells, states, opened)


def _opened(gates: Float[Array, "B G"]) -> Float[Array, "B G"]:
    """Sigmoids of i, f and o, tanh of g: as sigmoid(x) = (1 + tanh(x/2)) / 2 it is one function of all."""
    size = gates.shape[-1] // 4
    half = jnp.concatenate([jnp.full(2 * size, 0.5), jnp.ones(size), jnp.full(size, 0.5)]).astype(gates.dtype)
    return jnp.tanh(gates * half[None]) * half[None] + (1.0 - half)[None]


def _backward(reverse: bool, kept: Any, slopes: Read) -> tuple[Array, Array, None, Carries]:
    recurrent, valid, start, cells, states, opened = kept
    (d_end, d_states), (i, f, g, o) = slopes, jnp.split(opened, 4, -1)
    squashed, before = jnp.tanh(cells), _before(cells, start[0], reverse)
    # Slopes of the hidden state in the cell, of cell and hidden state in the gates, of the cell in the last.
    through = jnp.where(valid, o * (1.0 - squashed * squashed), 0.0)
    inner = [g * i * (1.0 - i), before * f * (1.0 - f), i * (1.0 - g * g), squashed * o * (1.0 - o)]
    inner = jnp.where(valid, jnp.concatenate(inner, -1), 0.0)
    kept_cell = jnp.where(valid, f, 1.0)

    def step(carry: Carries, now: tuple[Array, ...]) -> tuple[Carries, Array]:
        (d_cell, d_hidden), (d_state, through, inner, kept_cell, real) = carry, now
        d_hidden = d_hidden + d_state
        d_cell = d_cell + d_hidden * through
        d_gates = jnp.concatenate([d_cell, d_cell, d_cell, d_hidden], -1) * inner
        return (d_cell * kept_cell, jnp.where(real, d_gates @ recurrent.T, d_hidden)), d_gates

    each = (d_states, through, inner, kept_cell, valid)
    d_start, d_gates = jax.lax.scan(step, d_end, each, reverse=not reverse)
    d_recurrent = jnp.einsum("tbd,tbg->dg", _before(states, start[1], reverse), d_gates)
    return d_recurrent, d_gates, None, d_start


def _before(after: Float[Array, "T B D"], start: Float[Array, "B D"], reverse: bool) -> Float[Array, "T B D"]:
    """What each step began with, from what each step ended with."""
    return (
        jnp.concatenate([after[1:], start[None]]) if reverse else jnp.concatenate([start[None], after[:-1]])
    )


_read.defvjp(_forward, _backward)
