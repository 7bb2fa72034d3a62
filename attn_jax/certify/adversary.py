"""The attention farthest from alpha that leaves the output where it is: the global optimum."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike
from jaxtyping import Bool, Float

from attn_jax.certify import classes, door, multiclass, slab, vertices
from attn_jax.certify.farthest import LN2, farthest
from attn_jax.divergences import jsd


class MaxJsd(NamedTuple):
    """The epsilon-max JSD of Jain & Wallace (2019), section 4.2.2, bracketed: jsd <= truth <= upper_bound.

    `alpha` attains `jsd`. `valid` is False, and all else 0, where nothing is attendable.
    """

    jsd: Float[Array, ""]
    alpha: Float[Array, "T"]
    upper_bound: Float[Array, ""]
    valid: Bool[Array, ""]


def max_jsd(alpha: door.Alpha, token_logits: door.TokenLogits, mask: door.Mask, epsilon: ArrayLike) -> MaxJsd:
    """The largest JSD(a, alpha) over distributions a whose output moves by at most epsilon in TVD.

    Differs from the paper: its Algorithm 3 searches by Adam; here JSD(., alpha) is convex, so for a binary
    output the maximum is at a vertex of the simplex cut by a slab, and all O(T^2) vertices are valued:
    `jsd` and `upper_bound` then differ by rounding only. For C > 2 they are bounds: each pair of classes
    gives a slab that holds all feasible points, and the least of these optima bounds the truth from above.

    Args:
        alpha: attention, summing to 1 over the mask.
        token_logits: logits at each one-hot attention, bias included; C = 1 is a sigmoid output.
        mask: the attendable tokens; nothing outside it changes the result.
        epsilon: how far the output may move, in TVD (|dp| for a sigmoid output).
    """
    weights, logits, inside = door.enter(alpha, token_logits, mask)
    lower = _binary if logits.shape[1] <= 2 else multiclass.attained
    scores, slabs = classes.outer(weights, logits, inside, epsilon)
    # One pair of classes after the other: each fills the byte budget of a block by itself.
    bounds = jax.lax.map(lambda pair: farthest(weights, pair[0], pair[1], inside).value, (scores, slabs))
    return bracket(weights, lower(weights, logits, inside, epsilon), bounds.min(), inside)


def bracket(
    alpha: Float[Array, "T"], attained: Float[Array, "T"], bound: Float[Array, ""], mask: Bool[Array, "T"]
) -> MaxJsd:
    """The result, with room for the rounding of the bound's own value (four logarithms of numbers <= 2)."""
    distance, ulp = jsd(attained, alpha), jnp.finfo(alpha.dtype).eps
    # No JSD exceeds ln 2, except by as much as alpha's rounded sum exceeds 1.
    ceiling = 0.5 * (1.0 + jnp.maximum(alpha.sum(), 1.0)) * LN2 + ulp
    bound = jnp.maximum(jnp.minimum(bound + 4 * ulp, ceiling), distance)
    several = mask.sum() > 1
    return MaxJsd(jnp.where(several, distance, 0.0), attained, jnp.where(several, bound, 0.0), mask.any())


def _binary(
    alpha: Float[Array, "T"], token_logits: Float[Array, "T C"], mask: Bool[Array, "T"], epsilon: ArrayLike
) -> Float[Array, "T"]:
    """The optimum over the shrunk slab, or alpha itself where no vertex of it is farther."""
    s = slab.score(token_logits, mask)
    found = farthest(alpha, s, slab.inner(s, alpha, epsilon), mask)
    return jnp.where(found.value > 0, vertices.point(found, alpha.shape[0]), alpha)
