"""Relevance backwards through one direction of an LSTM layer."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float

from attn_jax.analyses.saliency.lrp.rule import Rule
from attn_jax.models.layers import LSTM
from attn_jax.types import AnyArray, Params


class _Step(NamedTuple):
    """What one step computed, and what it started from."""

    x: Float[Array, "T I"]
    hidden_before: Float[Array, "T H"]
    cell_before: Float[Array, "T H"]
    kept: Float[Array, "T H"]  # f * cell_before
    written: Float[Array, "T H"]  # i * g
    candidate: Float[Array, "T H"]  # g before its tanh
    valid: Bool[Array, "T"]


def lstm(
    rule: Rule,
    params: Params,
    x: Float[Array, "T I"],
    valid: Bool[AnyArray, "T"],
    relevance: Float[Array, "T H"],
    *,
    reverse: bool,
) -> tuple[Float[Array, "T I"], Float[Array, ""]]:
    """Relevance of the inputs, and what is left at the initial state (0 with bias factor 0).

    Arras et al. (2017): gates take nothing, the signal they let through takes all; tanh
    passes relevance as it is.
    """
    turn = (lambda a: jnp.asarray(a)[::-1]) if reverse else jnp.asarray
    steps = _trace(params, turn(x), turn(valid))

    def back(carry, now):
        return _back(rule, params, carry, *now)

    zero = jnp.zeros_like(steps.kept[0])
    (cell, hidden), found = jax.lax.scan(back, (zero, zero), (steps, turn(relevance)), reverse=True)
    return turn(found), cell.sum() + hidden.sum()


def _trace(params: Params, x: Float[Array, "T I"], valid: Bool[Array, "T"]) -> _Step:
    """The gates of every step, in parallel: each sees only its input and the state before it."""
    features = params["recurrent"].shape[0]
    states, _ = LSTM(features).apply({"params": params}, x, valid)  # pyright: ignore[reportGeneralTypeIssues]
    before = _shift(states)
    gates = x @ params["input"]["kernel"] + params["input"]["bias"][None] + before @ params["recurrent"]
    i, f, g, _ = jnp.split(gates, 4, -1)
    written = jax.nn.sigmoid(i) * jnp.tanh(g)

    def step(cell, now):
        keep, new, real = now
        after = jnp.where(real, keep * cell + new, cell)
        return after, cell

    forget = jax.nn.sigmoid(f)
    _, cells = jax.lax.scan(step, jnp.zeros_like(written[0]), (forget, written, valid))
    return _Step(x, before, cells, forget * cells, written, g, valid)


def _back(rule: Rule, params: Params, carry: tuple[Array, Array], step: _Step, relevance: Array):
    """One step backwards; padding hands the carry on."""
    cell, hidden = carry
    features = hidden.shape[0]
    candidate = slice(2 * features, 3 * features)  # the gates stand in the order i, f, g, o
    kernel = jnp.concatenate([params["input"]["kernel"], params["recurrent"]])[:, candidate]
    arrived = cell + hidden + relevance
    parts = jnp.stack([step.kept, step.written])
    cell_before, written = rule.addends(parts, parts.sum(0), arrived, 2 * features)
    inputs = jnp.concatenate([step.x, step.hidden_before])
    found = rule.affine(
        kernel, params["input"]["bias"][candidate], inputs, step.candidate, written, inputs.shape[0]
    )
    new_x, new_hidden = found[: step.x.shape[0]], found[step.x.shape[0] :]
    carry = jnp.where(step.valid, cell_before, cell), jnp.where(step.valid, new_hidden, hidden)
    return carry, jnp.where(step.valid, new_x, 0.0)


def _shift(states: Float[Array, "T H"]) -> Float[Array, "T H"]:
    return jnp.concatenate([jnp.zeros_like(states[:1]), states[:-1]])
