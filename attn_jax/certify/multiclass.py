"""More than two classes: a feasible attention far from alpha, the attained lower bound of `max_jsd`."""

import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike
from jaxtyping import Bool, Float

from attn_jax.certify import edges, vertices
from attn_jax.certify.exchange import farthest_vertex
from attn_jax.certify.reach import Tolerance, reach, tolerance
from attn_jax.divergences import jsd

PUSHES = 4
# Logits held fixed while tokens are exchanged; those of less probable classes are only checked at the end.
MOST_EQUATIONS = 32


def attained(
    alpha: Float[Array, "T"], token_logits: Float[Array, "T C"], mask: Bool[Array, "T"], epsilon: ArrayLike
) -> Float[Array, "T"]:
    """The farther of the best feasible pair and the best C-token support, pushed to the tolerance's edge.

    Some optimum has at most C tokens. Supports of C tokens that keep alpha's own logits are searched by
    exchange; every point returned is feasible by bisection from a feasible one, alpha itself at worst.
    """
    within = tolerance(alpha, token_logits, epsilon)
    vertex = farthest_vertex(alpha, _equations(alpha, token_logits, mask), mask)
    point = _towards(within, token_logits, alpha, vertex)
    pair = edges.farthest_pair(alpha, token_logits, mask, epsilon)
    better = pair.value > jsd(point, alpha)
    point = jnp.where(better, vertices.point(pair, alpha.shape[0]), point)
    return jax.lax.fori_loop(0, PUSHES, lambda _, p: _push(within, token_logits, alpha, p, mask), point)


def _equations(
    alpha: Float[Array, "T"], token_logits: Float[Array, "T C"], mask: Bool[Array, "T"]
) -> Float[Array, "D T"]:
    """Mass 1 and the logits of the most probable classes relative to the first, each scaled to 1."""
    here = alpha @ token_logits
    ranked = jnp.argsort(-here)[:MOST_EQUATIONS]
    moved = (token_logits - here[None])[:, ranked]
    relative = (moved[:, 1:] - moved[:, :1]).T
    largest = jnp.abs(relative).max(1, keepdims=True)
    rows = jnp.concatenate(
        [jnp.ones((1, alpha.shape[0]), alpha.dtype), relative / jnp.maximum(largest, 1e-6)]
    )
    return jnp.where(mask[None], rows, 0.0)


def _towards(
    within: Tolerance, token_logits: Float[Array, "T C"], start: Float[Array, "T"], end: Float[Array, "T"]
) -> Float[Array, "T"]:
    """The last feasible point on the way."""
    step = reach(within, start @ token_logits, end @ token_logits)
    return start + step * (end - start)


def _push(
    within: Tolerance,
    token_logits: Float[Array, "T C"],
    alpha: Float[Array, "T"],
    point: Float[Array, "T"],
    mask: Bool[Array, "T"],
) -> Float[Array, "T"]:
    """The farthest of the points reached from `point` towards each of its own tokens and a few others."""
    some = min(point.shape[0], 3 + min(token_logits.shape[1], MOST_EQUATIONS))
    largest = jax.lax.top_k(jnp.where(mask, point, -1.0), some)[1]
    ends = jax.nn.one_hot(largest, point.shape[0], dtype=point.dtype)
    ends = jnp.where(mask[largest][:, None], ends, point[None])
    reached = jax.vmap(lambda end: _towards(within, token_logits, point, end))(ends)
    values = jax.vmap(jsd, (0, None))(reached, alpha)
    best = jnp.argmax(values)
    return jnp.where(values[best] > jsd(point, alpha), reached[best], point)
