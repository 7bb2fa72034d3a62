"""The tokens that a score puts first."""

import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int

from attn_jax.types import AnyArray


def order(scores: Float[AnyArray, "T"], mask: Bool[AnyArray, "T"]) -> Int[Array, "T"]:
    """All positions by falling score, ties to the lowest, those outside the mask last."""
    return jnp.argsort(jnp.where(mask, -jnp.asarray(scores), jnp.inf), stable=True)


def top(
    scores: Float[AnyArray, "T"], mask: Bool[AnyArray, "T"], count: int | Int[AnyArray, ""]
) -> Bool[Array, "T"]:
    """The `count` highest attendable tokens, or all of them where there are fewer."""
    return jnp.asarray(mask) & (jnp.argsort(order(scores, mask)) < count)
