"""The recurrence of one direction of an LSTM over a batch of texts at once, for training and for slopes.

`vmap` of the recurrence of one text gives the same numbers, later. In training the product for the recurrent
weights is one of all texts and steps. For slopes in the gates no step is made where the whole batch has
nothing but padding; in training one is: models stacked in one program would each have an end of their own.
"""

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float

from attn_jax.models.batched_pass import Carries, Kept, Until, backward, before_each, forward
from attn_jax.models.recurrence import Carry, carried
from attn_jax.types import AnyArray


def carried_in_batches(
    recurrent: Float[Array, "D G"],
    gates: Float[Array, "T G"],
    valid: Bool[Array, "T"],
    start: Carry,
    *,
    reverse: bool,
) -> tuple[Carry, Float[Array, "T D"]]:
    """`recurrence.carried`, for grad(vmap) only: the weights of a batch have one gradient."""
    return _CARRIED[reverse](recurrent, gates, valid, start)


def states_in_batches(
    recurrent: Float[Array, "D G"], gates: Float[Array, "T G"], valid: Bool[Array, "T"], *, reverse: bool
) -> Float[Array, "T D"]:
    """The states of `recurrence.carried` from 0, for vmap(grad) in the gates: the weights are constants."""
    return jnp.where(valid[:, None], _states(reverse, jax.lax.stop_gradient(recurrent), gates, valid), 0.0)


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
            read: Any = _trained(reverse, recurrent, gates.swapaxes(0, 1), valid.T, start)
            end, states = read
            found = end, jnp.where(valid[..., None], states.swapaxes(0, 1), 0.0)
        return found, jax.tree.map(lambda _: True, found)

    return one


def _whole(size: int, texts: Any, batched: Any) -> Any:
    """The arrays, each with an axis of so many texts."""

    def filled(values: AnyArray, batched: bool) -> Array:
        return jnp.asarray(values) if batched else jnp.broadcast_to(values, (size, *values.shape))

    return jax.tree.map(filled, texts, batched)


_CARRIED = {reverse: _one_direction(reverse) for reverse in (False, True)}


@functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
def _trained(
    reverse: bool,
    recurrent: Float[Array, "D G"],
    gates: Float[Array, "T B G"],
    valid: Bool[Array, "T B"],
    start: Carries,
) -> tuple[Carries, Float[Array, "T B D"]]:
    """The carry at the end and the hidden state after each step."""
    kept = forward(reverse, valid.shape[0], recurrent, gates, valid, start)
    return kept.end, kept.states


def _trained_forward(reverse: bool, recurrent: Array, gates: Array, valid: Array, start: Carries) -> Any:
    kept = forward(reverse, valid.shape[0], recurrent, gates, valid, start)
    return (kept.end, kept.states), (recurrent, valid, start, kept)


def _trained_backward(reverse: bool, saved: Any, slopes: tuple[Carries, Array]) -> Any:
    recurrent, valid, start, kept = saved
    d_start, d_gates = backward(reverse, valid.shape[0], recurrent, valid, start, kept, *slopes)
    before = before_each(kept.states, start[1], reverse)
    return jnp.einsum("tbd,tbg->dg", before, d_gates), d_gates, None, d_start


_trained.defvjp(_trained_forward, _trained_backward)


@functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
def _states(reverse: bool, recurrent: Array, gates: Float[Array, "T G"], valid: Array) -> Float[Array, "T D"]:
    return _states_forward(reverse, recurrent, gates, valid)[0]


def _states_forward(reverse: bool, recurrent: Array, gates: Array, valid: Array) -> Any:
    kept = _THERE[reverse](recurrent, valid[:, None], gates[:, None])
    return kept[1][:, 0], (recurrent, valid, kept)


def _states_backward(reverse: bool, saved: Any, slopes: Float[Array, "T D"]) -> Any:
    recurrent, valid, kept = saved
    return None, _BACK[reverse](recurrent, valid[:, None], *kept, slopes[:, None])[:, 0], None


_states.defvjp(_states_forward, _states_backward)


def _there(reverse: bool, until: Until, recurrent: Array, valid: Array, gates: Array) -> tuple[Array, ...]:
    """A batch read from 0: cells, states and opened gates."""
    return forward(reverse, until, recurrent, gates, valid, _zeros(recurrent, valid))[1:]


def _back(reverse: bool, until: Until, recurrent: Array, valid: Array, *kept_and_slopes: Array) -> Array:
    """The slopes in the gates of a batch that was read from 0, from those in its states."""
    *kept, slopes = kept_and_slopes
    zeros = _zeros(recurrent, valid)
    return backward(reverse, until, recurrent, valid, zeros, Kept(zeros, *kept), zeros, slopes)[1]


def _zeros(recurrent: Float[Array, "D G"], valid: Bool[Array, "T B"]) -> Carries:
    zero = jnp.zeros((valid.shape[1], recurrent.shape[0]), recurrent.dtype)
    return zero, zero


def _end_to_end(way: Callable[..., Any], reverse: bool) -> Any:
    """`way` of a batch [T, B, ...], which under any number of vmaps is called once, on all batches as one."""

    def whole_length(recurrent: Array, valid: Array, *batches: Array) -> Any:
        return way(reverse, valid.shape[0], recurrent, valid, *batches)

    @jax.custom_batching.custom_vmap
    def call(recurrent: Array, valid: Array, *batches: Array) -> Any:
        used = valid.any(1)
        until = jnp.where(used, 1 + jnp.arange(used.shape[0]), 0).max()
        return way(reverse, until, recurrent, valid, *batches)

    @call.def_vmap
    def _batch(size: int, batched: list, recurrent: Array, *batches: Array) -> Any:
        own_weights, *others = batched
        if own_weights:  # several models at once: nothing to share
            axes = [0 if has else None for has in batched]
            found = jax.vmap(whole_length, axes)(recurrent, *batches)
        else:
            joined = call(recurrent, *map(_joined, _whole(size, batches, tuple(others))))
            found = jax.tree.map(functools.partial(_parted, size), joined)
        return found, jax.tree.map(lambda _: True, found)

    return call


def _joined(batches: Array) -> Array:
    """[S, T, B, ...] as [T, S * B, ...]."""
    moved = batches.swapaxes(0, 1)
    return moved.reshape(moved.shape[0], -1, *moved.shape[3:])


def _parted(size: int, joined: Array) -> Array:
    """[T, S * B, ...] as [S, T, B, ...]."""
    return joined.reshape(joined.shape[0], size, -1, *joined.shape[2:]).swapaxes(0, 1)


_THERE, _BACK = ({reverse: _end_to_end(way, reverse) for reverse in (False, True)} for way in (_there, _back))
