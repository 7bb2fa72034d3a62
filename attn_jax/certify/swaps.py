"""Steepest ascent over permutations of alpha, two weights changing places at a time."""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int

from attn_jax.certify import vertices
from attn_jax.divergences import jsd, xlogx

SWAPS = 64

# Logits [*N D] -> by how much they leave the constraint, <= 0 where they do not.
Excess = Callable[[Array], Array]


class _State(NamedTuple):
    """`table[i, k]` is x(alpha_i + the weight now on k): a swap exchanges two columns, no logarithm."""

    weights: Float[Array, "T"]
    table: Float[Array, "T T"]
    merit: Float[Array, ""]
    improving: Bool[Array, ""]
    swaps: Int[Array, ""]


def ascend(
    start: Float[Array, "T"],
    alpha: Float[Array, "T"],
    logits: Float[Array, "T D"],
    excess: Excess,
    mask: Bool[Array, "T"],
) -> tuple[Float[Array, "T"], Float[Array, ""]]:
    """A permutation that no swap improves (or SWAPS swaps on), and its merit: its JSD if >= 0.

    The merit of an infeasible permutation is -1 less its excess, so that the ascent first becomes
    feasible and then stays so.
    """

    def step(state: _State) -> _State:
        merit, first, second = _best_swap(state, alpha, logits, excess, mask)
        better = merit > state.merit + 1e-7
        there = jnp.where(better, second, first)
        weights, table = _swapped(state.weights, first, there), _swapped(state.table, first, there)
        return _State(weights, table, jnp.maximum(merit, state.merit), better, state.swaps + 1)

    table = xlogx(alpha[:, None] + start[None, :])
    merit = _merit(jsd(start, alpha), excess(start @ logits))
    first = _State(start, table, merit, mask.any(), jnp.zeros((), jnp.int32))
    last = jax.lax.while_loop(lambda state: state.improving & (state.swaps < SWAPS), step, first)
    return last.weights, last.merit


def _swapped(
    values: Float[Array, "*N T"], first: Int[Array, ""], second: Int[Array, ""]
) -> Float[Array, "*N T"]:
    """The two entries of the last axis exchanged."""
    one, other = jnp.take(values, first, axis=-1), jnp.take(values, second, axis=-1)
    return values.at[..., first].set(other).at[..., second].set(one)


def _merit(value: Float[Array, "*N"], over: Float[Array, "*N"]) -> Float[Array, "*N"]:
    return jnp.where(over <= 0, value, -1.0 - over)


def _best_swap(
    state: _State,
    alpha: Float[Array, "T"],
    logits: Float[Array, "T D"],
    excess: Excess,
    mask: Bool[Array, "T"],
) -> tuple[Float[Array, ""], Int[Array, ""], Int[Array, ""]]:
    """(merit after it, first, second) of the best of the T^2 swaps."""
    weights, table = state.weights, state.table
    here, value, own = weights @ logits, jsd(weights, alpha), jnp.diagonal(table)

    def row(first: Int[Array, ""]) -> Float[Array, "T"]:
        after = value - 0.5 * (table[first] + table[:, first] - own[first] - own)
        shift = (weights - weights[first])[:, None] * (logits[first][None] - logits)
        return jnp.where(mask & mask[first], _merit(after, excess(here[None] + shift)), -jnp.inf)

    itemsize = logits.shape[1] * alpha.dtype.itemsize
    first = jnp.argmax(vertices.by_block(lambda first: row(first).max(), alpha.shape[0], itemsize))
    merits = row(first)
    second = jnp.argmax(merits)
    return merits[second], first, second
