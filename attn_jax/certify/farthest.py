"""JSD to alpha of distributions over one or two tokens, in O(1) each."""

from jax import Array
from jaxtyping import Bool, Float

from attn_jax.certify import vertices
from attn_jax.certify.slab import Slab
from attn_jax.divergences import xlogx

LN2 = 0.6931472


def distance_to(alpha: Float[Array, "T"]) -> tuple[vertices.Value, vertices.Terms]:
    """The function (weight, one token's terms, another's) -> JSD to alpha, and every token's terms.

    With x(v) = v ln v, JSD(w e_i + (1-w) e_j, a) = ((1 + sum a) ln 2 + x(w) + x(1-w) + x(a_i) + x(a_j)
    - x(w + a_i) - x(1-w + a_j)) / 2: four logarithms a pair.
    """
    constant = (1.0 + alpha.sum()) * LN2

    def distance(weight: Array, one: vertices.Terms, other: vertices.Terms) -> Array:
        rest = 1.0 - weight
        own = xlogx(weight) + xlogx(rest) + one[1] + other[1]
        return 0.5 * (constant + own - xlogx(weight + one[0]) - xlogx(rest + other[0]))

    return distance, (alpha, xlogx(alpha))


def farthest(
    alpha: Float[Array, "T"], s: Float[Array, "T"], within: Slab, mask: Bool[Array, "T"]
) -> vertices.Vertex:
    """The vertex of the slab that is farthest from alpha."""
    distance, terms = distance_to(alpha)
    return vertices.best(distance, terms, s, within, mask)
