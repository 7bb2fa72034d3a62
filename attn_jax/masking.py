"""Arithmetic that sees only the attendable positions. Axes before the last are batch axes."""

import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int

from attn_jax.types import AnyArray


def softmax(scores: Float[AnyArray, "*Q T"], mask: Bool[AnyArray, "*Q T"]) -> Float[Array, "*Q T"]:
    """Softmax over the masked positions; exactly 0 elsewhere, and all 0 where nothing is attendable.

    The law of the seam: sum(alpha) == any(mask).
    """
    top = jnp.max(jnp.where(mask, scores, -jnp.inf), axis=-1, keepdims=True)
    # Where nothing is attendable `top` is -inf: any finite shift will do, and gradients stay finite.
    shifted = jnp.where(mask, scores - jnp.where(jnp.isfinite(top), top, 0.0), 0.0)
    weights = jnp.where(mask, jnp.exp(shifted), 0.0)
    return weights / jnp.maximum(weights.sum(-1, keepdims=True), jnp.finfo(weights.dtype).tiny)


def normalise(weights: Float[AnyArray, "*Q T"], mask: Bool[AnyArray, "*Q T"]) -> Float[Array, "*Q T"]:
    """Non-negative weights scaled to sum 1 over the mask (0 where no weight is left)."""
    kept = jnp.where(mask, weights, 0.0)
    total = kept.sum(-1, keepdims=True)
    return jnp.where(total > 0, kept / jnp.where(total > 0, total, 1.0), 0.0)


def uniform(mask: Bool[AnyArray, "*Q T"]) -> Float[Array, "*Q T"]:
    """1/n on each of the n attendable positions (Vashishth et al. 2019, section 4.1)."""
    return normalise(jnp.ones(mask.shape), mask)


def compact(mask: Bool[AnyArray, "T"]) -> Int[Array, "T"]:
    """The positions with the attendable ones first, each part in its own order."""
    return jnp.argsort(~mask, stable=True)
