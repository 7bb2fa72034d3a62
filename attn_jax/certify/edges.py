"""Token pairs whose mixture keeps a multi-class output in place: the edges of the simplex, by bisection."""

import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike
from jaxtyping import Bool, Float, Int

from attn_jax.certify import reach, vertices
from attn_jax.certify.farthest import distance_to


def farthest_pair(
    alpha: Float[Array, "T"], token_logits: Float[Array, "T C"], mask: Bool[Array, "T"], epsilon: ArrayLike
) -> vertices.Vertex:
    """A feasible pair (or single token) far from alpha; its value is -inf where none is found.

    For each first token the most distant second one whose mixture comes near enough to alpha's logits;
    from there as far as feasible towards either token, since JSD is convex along the edge.
    """
    tokens = jnp.arange(alpha.shape[0], dtype=jnp.int32)
    second, weight = _partners(alpha, token_logits, mask, epsilon)
    within = reach.tolerance(alpha, token_logits, epsilon)
    one, other = token_logits, token_logits[second]
    here = weight[:, None] * one + (1.0 - weight[:, None]) * other
    towards = jax.vmap(reach.reach, (None, 0, 0))
    found = reach.feasible(within, here) & mask & mask[second]
    up = weight + towards(within, here, one) * (1.0 - weight)
    down = weight * (1.0 - towards(within, here, other))
    return _best(alpha, tokens, second, (up, down), found)


def _best(
    alpha: Float[Array, "T"],
    first: Int[Array, "T"],
    second: Int[Array, "T"],
    weights: tuple[Float[Array, "T"], Float[Array, "T"]],
    found: Bool[Array, "T"],
) -> vertices.Vertex:
    """The best of the candidates, each pair with two weights."""
    distance, terms = distance_to(alpha)
    partner = tuple(jnp.where(second == first, 0.0, term[second]) for term in terms)
    single = second == first
    pairs = [jnp.where(single, 1.0, weight) for weight in weights]
    values = jnp.stack([jnp.where(found, distance(w, terms, partner), -jnp.inf) for w in pairs])
    end, token = jnp.divmod(jnp.argmax(values), alpha.shape[0])
    return vertices.Vertex(values[end, token], first[token], second[token], jnp.stack(pairs)[end, token])


def _partners(
    alpha: Float[Array, "T"], token_logits: Float[Array, "T C"], mask: Bool[Array, "T"], epsilon: ArrayLike
) -> tuple[Int[Array, "T"], Float[Array, "T"]]:
    """For each token the second one, and the first's weight, most distant among mixtures near alpha's logits.

    Nearness in the Fisher metric r^2 = sum_c y_c (d_c - y.d)^2 of the change d of the logits: to first order
    TVD <= r/2, and the mixture nearest to alpha's logits has a closed form.
    """
    here = alpha @ token_logits
    y = jax.nn.softmax(here)
    moved = token_logits - here[None]
    features = jnp.sqrt(y)[None] * (moved - (moved @ y)[:, None])
    squares = (features**2).sum(-1)
    distance, terms = distance_to(alpha)
    tokens = jnp.arange(alpha.shape[0], dtype=jnp.int32)

    def row(first: Int[Array, ""]) -> tuple[Array, Array]:
        inner = features @ features[first]
        gap = squares[first] + squares - 2 * inner
        weight = jnp.clip((squares - inner) / jnp.where(gap > 0, gap, 1.0), 0.0, 1.0)
        weight = jnp.where(tokens == first, 1.0, weight)
        radius = weight**2 * squares[first] + (1 - weight) ** 2 * squares + 2 * weight * (1 - weight) * inner
        partner = tuple(jnp.where(tokens == first, 0.0, term) for term in terms)
        value = distance(weight, tuple(term[first] for term in terms), partner)
        near = mask & (radius <= (2 * jnp.asarray(epsilon, alpha.dtype)) ** 2)
        second = jnp.argmax(jnp.where(near, value, -jnp.inf)).astype(jnp.int32)
        return second, weight[second]

    return vertices.by_block(row, alpha.shape[0], alpha.dtype.itemsize)
