"""The smallest set of tokens whose erasure from the attention changes the decision."""

from typing import NamedTuple

import chex
import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int

from attn_jax.certify import door
from attn_jax.outputs import predicted
from attn_jax.types import AnyArray

# Margins are counted in units of max|l| / 2^28: their sums are exact whatever the order of removal (alpha
# sums to 1, so none leaves int32), which is what makes "never beaten by another ordering" a theorem.
UNITS = 1 << 28
# Another class must lead by more than 1e-6 max|l|: rounding is no flip.
LEAD = round(1e-6 * UNITS)


class MinimalFlip(NamedTuple):
    """How many tokens, and which. Where no set flips: count = mask.sum(), nothing removed."""

    count: Int[Array, ""]
    removed: Bool[Array, "T"]
    flips: Bool[Array, ""]


class FlipAt(NamedTuple):
    """After how many removals the decision changes; mask.sum() where it never does."""

    count: Int[Array, ""]
    flips: Bool[Array, ""]


def minimal_flip(alpha: door.Alpha, token_logits: door.TokenLogits, mask: door.Mask) -> MinimalFlip:
    """The least number of weights to erase, states fixed and alpha renormalised, to change the decision.

    Serrano & Smith (2019), section 5, compare orderings; this is the optimum none of them beats: for each
    other class c remove tokens by falling alpha_i (l_iy - l_ic), and take the class that needs fewest.
    """
    alpha, logits, mask = door.enter(alpha, token_logits, mask)
    support, removable = _support(alpha, logits), mask & (alpha > 0)
    orders = jax.vmap(lambda column: _removable_first(-column, removable), 1, 1)(support)
    counts = jax.vmap(_count, (1, 1, None))(orders, support, removable)
    other = jnp.argmin(counts)
    flips = counts[other] < removable.sum()
    ranks = jnp.argsort(orders[:, other])
    removed = flips & (ranks < counts[other])
    return MinimalFlip(jnp.where(flips, counts[other], mask.sum()).astype(jnp.int32), removed, flips)


def flip_at(
    order: Int[AnyArray, "T"], alpha: door.Alpha, token_logits: door.TokenLogits, mask: door.Mask
) -> FlipAt:
    """The same predicate along any order of removal: `order` lists all positions, first to go first.

    Tokens outside the mask or of weight 0 are passed over, they count for nothing.
    """
    chex.assert_rank(order, 1)
    alpha, logits, mask = door.enter(alpha, token_logits, mask)
    support, removable = _support(alpha, logits), mask & (alpha > 0)
    places = jnp.argsort(jnp.asarray(order))
    kept = _removable_first(places, removable)
    counts = jax.vmap(_count, (None, 1, None))(kept, support, removable)
    flips = counts.min() < removable.sum()
    return FlipAt(jnp.where(flips, counts.min(), mask.sum()).astype(jnp.int32), flips)


def _support(alpha: Float[Array, "T"], logits: Float[Array, "T C"]) -> Int[Array, "T D"]:
    """Each token's share of the decision's lead over each class, in units; a sigmoid has two classes."""
    if logits.shape[1] == 1:
        logits = jnp.concatenate([jnp.zeros_like(logits), logits], axis=1)
    lead = jnp.take(logits, predicted(alpha @ logits), axis=1)[:, None] - logits
    largest = jnp.abs(logits).max()
    unit = jnp.where(largest > 0, largest, 1.0) / UNITS
    return jnp.round(alpha[:, None] * lead / unit).astype(jnp.int32)


def _removable_first(keys: Int[Array, "T"], removable: Bool[Array, "T"]) -> Int[Array, "T"]:
    """Positions by rising key, ties to the lowest, those that cannot be removed last."""
    return jnp.argsort(jnp.where(removable, keys, jnp.iinfo(jnp.int32).max), stable=True)


def _count(order: Int[Array, "T"], support: Int[Array, "T"], removable: Bool[Array, "T"]) -> Int[Array, ""]:
    """Removals along `order` until this class leads while some mass remains; removable.sum() if never."""
    left = support.sum() - jnp.cumsum(support[order])
    total = removable.sum()
    done = (left < -LEAD) & (jnp.arange(1, order.shape[0] + 1) < total)
    return jnp.where(done.any(), jnp.argmax(done) + 1, total).astype(jnp.int32)
