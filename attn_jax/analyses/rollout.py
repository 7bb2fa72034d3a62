"""Attention of many layers and heads as one weight a token: what a Transformer has in attention's place."""

import chex
import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float

from attn_jax.types import AnyArray


def rollout(alphas: Float[AnyArray, "L N T T"], *, residual: float = 0.5) -> Float[Array, "T T"]:
    """How much of each input token is in each output token: row t sums to 1 where token t attends.

    Abnar & Zuidema (2020), eq. 1: A~_i = (0.5 A_i + 0.5 I) A~_{i-1}, A_i the mean over heads. Rows of
    padding, which attend to nothing, keep to themselves.
    """
    chex.assert_rank(alphas, 4)
    mean = jnp.asarray(alphas).mean(1)
    itself = jnp.eye(mean.shape[-1], dtype=mean.dtype)
    attends = mean.sum(-1, keepdims=True) > 0

    def up(below: Float[Array, "T T"], layer: tuple[Array, Array]) -> tuple[Array, None]:
        weights, real = layer
        mixed = (1 - residual) * weights + residual * itself
        return jnp.where(real, mixed, itself) @ below, None

    return jax.lax.scan(up, itself, (mean, attends))[0]


def value_weighted(
    alpha: Float[AnyArray, "N S T"], values: Float[AnyArray, "N T H"], outputs: Float[AnyArray, "N H D"]
) -> Float[Array, "S T"]:
    """||sum_n alpha_nst v_nt W_n||: the length of what token t really adds at s, not its weight alone.

    Kobayashi et al. (2020), eq. 5: values v_n = x W_V + b_V of each head, W_n its part of the output map.
    """
    chex.assert_equal_shape_prefix([alpha, values, outputs], 1)
    written = jnp.einsum("nth,nhd->ntd", values, outputs)
    return jnp.sqrt(jnp.square(jnp.einsum("nst,ntd->std", alpha, written)).sum(-1))


def read_at(weights: Float[AnyArray, "T T"], place: int, mask: Bool[AnyArray, "T"]) -> Float[Array, "T"]:
    """The row of the token that decides (a classifier's [CLS] at 0), 0 where attention may not look."""
    return jnp.where(mask, jnp.asarray(weights)[place], 0.0)
