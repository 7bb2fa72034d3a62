"""Slabs for any number of classes: what an output held within epsilon implies for pairs of classes."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike
from jaxtyping import Bool, Float, Int

from attn_jax.certify import slab

# With more classes than this, pairs are taken among the most probable: a pair of improbable classes has
# both faces at infinity and bounds nothing.
MOST_CLASSES = 6


def outer(
    alpha: Float[Array, "T"], token_logits: Float[Array, "T C"], mask: Bool[Array, "T"], epsilon: ArrayLike
) -> tuple[Float[Array, "P T"], slab.Slab]:
    """Scores and slabs, one a pair of classes, that together hold every feasible attention.

    C <= 2: the one slab, which is the constraint itself. C > 2: TVD <= epsilon moves each probability by
    at most epsilon, so z_a - z_b lies in [log((y_a-eps)/(y_b+eps)), log((y_a+eps)/(y_b-eps))].
    """
    if token_logits.shape[1] <= 2:
        s = slab.score(token_logits, mask)
        return s[None], jax.tree.map(lambda face: face[None], slab.outer(s, alpha, epsilon))
    first, second = _pairs(jax.nn.softmax(alpha @ token_logits))
    return jax.vmap(lambda a, b: _pair(alpha, token_logits, epsilon, a, b))(first, second)


def _pairs(y: Float[Array, "C"]) -> tuple[Int[Array, "P"], Int[Array, "P"]]:
    """The pairs among the most probable classes."""
    ranked = jnp.argsort(-y)
    index = np.array(list(itertools.combinations(range(min(len(y), MOST_CLASSES)), 2)))
    return ranked[index[:, 0]], ranked[index[:, 1]]


def _pair(
    alpha: Float[Array, "T"],
    token_logits: Float[Array, "T C"],
    epsilon: ArrayLike,
    first: Int[Array, ""],
    second: Int[Array, ""],
) -> tuple[Float[Array, "T"], slab.Slab]:
    s = jnp.take(token_logits, first, axis=1) - jnp.take(token_logits, second, axis=1)
    y = jax.nn.softmax(alpha @ token_logits)
    p, q, eps = y[first], y[second], jnp.asarray(epsilon, s.dtype)
    slack = slab.rounding(token_logits)
    # Each logit's rounding h moves a probability p by at most 2 h p (1-p).
    shift = slack * jnp.maximum(p * (1.0 - p), q * (1.0 - q))
    within = slab.between(p, q, eps, shift, slack)
    here = alpha @ s
    return s, slab.Slab(jnp.minimum(within.low, here - slack), jnp.maximum(within.high, here + slack))
