"""Relevance backwards through attention."""

import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float

from attn_jax.analyses.saliency.lrp.rule import Rule
from attn_jax.types import AnyArray


def through_attention(
    rule: Rule,
    alpha: Float[Array, "T"],
    states: Float[Array, "T H"],
    mask: Bool[AnyArray, "T"],
    relevance: Float[Array, "H"],
) -> Float[Array, "T H"]:
    """R_{h_t} = alpha_t h_t / context R_context: attention is a gate and takes none (Arras et al. 2017)."""
    count = jnp.maximum(mask.sum(), 1) * states.shape[1]
    pooled = rule.addends(alpha[:, None] * states, alpha @ states, relevance, count)
    return jnp.where(jnp.asarray(mask)[:, None], pooled, 0.0)
