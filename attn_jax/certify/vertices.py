"""The vertices of the simplex cut by a slab: tokens inside it, and token pairs that meet a face.

A convex function over that polytope is largest at a vertex, and a vertex has at most two non-zero
weights. There are T single tokens and at most T^2 pairs, each valued in O(1).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int

from attn_jax.certify.slab import Slab

# Pairs are valued in blocks of rows of about this size, so that T = 4,000 fits, vmapped too.
BLOCK_BYTES = 1 << 20

Terms = tuple[Array, ...]
# (weight of the first token, its terms, the terms of the second) -> value of the vertex.
Value = Callable[[Array, Terms, Terms], Array]


class Vertex(NamedTuple):
    """`weight` on token `first`, the rest on `second` (= `first` for a single token).

    `value` is -inf where the slab holds no vertex; the weight then means nothing.
    """

    value: Float[Array, ""]
    first: Int[Array, ""]
    second: Int[Array, ""]
    weight: Float[Array, ""]


def best(value: Value, terms: Terms, s: Float[Array, "T"], slab: Slab, mask: Bool[Array, "T"]) -> Vertex:
    """The vertex of greatest value. `terms` are [T] arrays; a token of weight 0 has all terms 0."""

    def row(first: Int[Array, ""]) -> tuple[Array, Array]:
        return _row(value, terms, s, slab, mask, first)

    tops = by_block(lambda first: row(first)[0].max(), s.shape[0], s.dtype.itemsize)
    first = jnp.argmax(tops).astype(jnp.int32)
    values, weights = row(first)
    second = jnp.argmax(values).astype(jnp.int32)
    return Vertex(values[second], first, second, weights[second])


def point(vertex: Vertex, length: int) -> Float[Array, "T"]:
    """The vertex as a distribution over `length` tokens."""
    empty = jnp.zeros(length, vertex.weight.dtype)
    return empty.at[vertex.first].add(vertex.weight).at[vertex.second].add(1.0 - vertex.weight)


def _row(
    value: Value,
    terms: Terms,
    s: Float[Array, "T"],
    slab: Slab,
    mask: Bool[Array, "T"],
    first: Int[Array, ""],
) -> tuple[Float[Array, "T"], Float[Array, "T"]]:
    """Values and first weights of the vertices (first, second) for every second token.

    A pair meets two faces: (i, j) with i < j stands for the lower one and (j, i) for the upper one, so
    that each vertex is valued once; (i, i) stands for the single token.
    """
    second = jnp.arange(s.shape[0])
    face = jnp.where(first < second, slab.low, slab.high)
    below_first, below_second = s[first] < face, s < face
    alone = (first == second) & (slab.low <= s) & (s <= slab.high)
    # A face at infinity has all tokens on one side; a crossing pair has s_i != s_j.
    crossing = (first != second) & (below_first != below_second) & (slab.low <= slab.high)
    exists = mask & mask[first] & (alone | crossing)
    weight = jnp.where(alone, 1.0, jnp.clip((face - s) / (s[first] - s), 0.0, 1.0))
    partner = tuple(jnp.where(alone, 0.0, term) for term in terms)
    found = value(weight, tuple(term[first] for term in terms), partner)
    return jnp.where(exists, found, -jnp.inf), weight


def by_block(row: Callable[[Array], Any], length: int, itemsize: int) -> Any:
    """`row` at every token, stacked, in blocks from the byte budget; a row holds `length` items."""
    rows = max(1, BLOCK_BYTES // (itemsize * length))
    if rows >= length:
        return jax.vmap(row)(jnp.arange(length))
    return jax.lax.map(row, jnp.arange(length), batch_size=rows)
