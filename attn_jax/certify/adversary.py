"""The attention farthest from alpha that leaves the output where it is: the global optimum."""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike
from jaxtyping import Bool, Float

from attn_jax.certify import door, slab, vertices
from attn_jax.divergences import jsd

LN2 = 0.6931472


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
    output the maximum is at a vertex of the simplex cut by a slab, and all O(T^2) vertices are valued.
    For C > 2 `jsd` and `upper_bound` are bounds (`multiclass`).

    Args:
        alpha: attention, summing to 1 over the mask.
        token_logits: logits at each one-hot attention, bias included; C = 1 is a sigmoid output.
        mask: the attendable tokens; nothing outside it changes the result.
        epsilon: how far the output may move, in TVD (|dp| for a sigmoid output).
    """
    alpha, token_logits, mask = door.enter(alpha, token_logits, mask)
    return _binary(alpha, slab.score(token_logits, mask), mask, epsilon)


def _binary(
    alpha: Float[Array, "T"], s: Float[Array, "T"], mask: Bool[Array, "T"], epsilon: ArrayLike
) -> MaxJsd:
    found = farthest(alpha, s, slab.inner(s, alpha, epsilon), mask)
    attained = jnp.where(found.value > 0, vertices.point(found, alpha.shape[0]), alpha)
    bound = farthest(alpha, s, slab.outer(s, alpha, epsilon), mask).value
    return bracket(alpha, attained, bound, mask)


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


def farthest(
    alpha: Float[Array, "T"], s: Float[Array, "T"], within: slab.Slab, mask: Bool[Array, "T"]
) -> vertices.Vertex:
    """The vertex of the slab that is farthest from alpha.

    With x(v) = v ln v, JSD(w e_i + (1-w) e_j, a) = ((1 + sum a) ln 2 + x(w) + x(1-w) + x(a_i) + x(a_j)
    - x(w + a_i) - x(1-w + a_j)) / 2: four logarithms a vertex.
    """
    constant = (1.0 + alpha.sum()) * LN2

    def distance(weight: Array, one: vertices.Terms, other: vertices.Terms) -> Array:
        rest = 1.0 - weight
        own = _xlogx(weight) + _xlogx(rest) + one[1] + other[1]
        return 0.5 * (constant + own - _xlogx(weight + one[0]) - _xlogx(rest + other[0]))

    return vertices.best(distance, (alpha, _xlogx(alpha)), s, within, mask)


def _xlogx(v: Array) -> Array:
    return v * jnp.log(jnp.maximum(v, jnp.finfo(v.dtype).tiny))
