"""The adversary that must stay as peaked as alpha: the farthest permutation of alpha within epsilon."""

import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike
from jaxtyping import Bool, Float

from attn_jax.certify import classes, door, reach, slab, swaps
from attn_jax.certify.adversary import MaxJsd, bracket
from attn_jax.certify.assignment import permutation_bound

# Ascents that begin with the largest weight on another token: for a peaked alpha that choice is most of it.
PEAKS = 8


def permuted_jsd(
    alpha: door.Alpha, token_logits: door.TokenLogits, mask: door.Mask, epsilon: ArrayLike
) -> MaxJsd:
    """The largest JSD(b, alpha) over permutations b of alpha whose output moves by at most epsilon in TVD.

    `max_jsd` may put all mass on two tokens; a permutation keeps the weights and only moves them. `jsd` is
    attained by `alpha`, a permutation found by swaps from several starts; `upper_bound` is Lagrangian
    (`assignment`), the least over the class pairs' slabs. O(T^2) memory.
    """
    weights, logits, inside = door.enter(alpha, token_logits, mask)
    scores, slabs = classes.outer(weights, logits, inside, epsilon)
    bounds = jax.vmap(lambda s, within: permutation_bound(weights, s, within, inside))(scores, slabs)
    tightest = jnp.argmin(bounds.value)
    features, excess = _constraint(weights, logits, inside, epsilon)
    starts = _starts(weights, bounds.preferred[tightest], excess(features), inside)
    ends, merits = jax.vmap(lambda start: swaps.ascend(start, weights, features, excess, inside))(starts)
    best = jnp.argmax(merits)
    attained = jnp.where(merits[best] >= 0, ends[best], weights)
    return bracket(weights, attained, bounds.value[tightest], inside)


def _constraint(
    alpha: Float[Array, "T"], token_logits: Float[Array, "T C"], mask: Bool[Array, "T"], epsilon: ArrayLike
) -> tuple[Float[Array, "T D"], swaps.Excess]:
    """What a permutation changes, and by how much that leaves the tolerance: the slab where C <= 2."""
    if token_logits.shape[1] > 2:
        within = reach.tolerance(alpha, token_logits, epsilon)
        return token_logits, lambda logits: reach.excess(within, logits)
    s = slab.score(token_logits, mask)
    faces = slab.inner(s, alpha, epsilon)
    return s[:, None], lambda score: jnp.maximum(faces.low - score, score - faces.high)[..., 0]


def _starts(
    alpha: Float[Array, "T"], preferred: Float[Array, "T"], alone: Float[Array, "T"], mask: Bool[Array, "T"]
) -> Float[Array, "R T"]:
    """Alpha; alpha arranged as the bound prefers; alpha with its peak on the tokens least wrong alone."""
    length = alpha.shape[0]
    nearest = jnp.argsort(jnp.where(mask, alone, jnp.inf), stable=True)[:PEAKS]
    nearest = jnp.where(mask[nearest], nearest, jnp.argmax(alpha))
    moved = jax.vmap(lambda token: _swap(alpha, jnp.argmax(alpha), token))(nearest)
    return jnp.concatenate([alpha[None], _arranged(alpha, preferred, mask)[None], moved]).reshape(-1, length)


def _swap(alpha: Float[Array, "T"], one: Array, other: Array) -> Float[Array, "T"]:
    return alpha.at[one].set(alpha[other]).at[other].set(alpha[one])


def _arranged(
    alpha: Float[Array, "T"], preferred: Float[Array, "T"], mask: Bool[Array, "T"]
) -> Float[Array, "T"]:
    """Alpha's weights in the order of the preferred ones, largest to largest."""
    rising = jnp.argsort(jnp.where(mask, preferred, jnp.inf), stable=True)
    values = jnp.sort(jnp.where(mask, alpha, jnp.inf))
    return jnp.where(mask, jnp.zeros_like(alpha).at[rising].set(values), 0.0)
