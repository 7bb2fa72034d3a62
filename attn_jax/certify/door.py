"""The door of every certificate: one example's arrays, checked and freed of what padding holds."""

import chex
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float

from attn_jax.types import AnyArray

Alpha = Float[AnyArray, "T"]
TokenLogits = Float[AnyArray, "T C"]
Mask = Bool[AnyArray, "T"]


def enter(
    alpha: Alpha, token_logits: TokenLogits, mask: Mask
) -> tuple[Float[Array, "T"], Float[Array, "T C"], Bool[Array, "T"]]:
    """The three arrays in float32 or wider, 0 outside the mask."""
    chex.assert_rank([alpha, token_logits, mask], [1, 2, 1])
    chex.assert_equal_shape_prefix([alpha, token_logits, mask], 1)
    mask = jnp.asarray(mask)
    wide = jnp.promote_types(jnp.float32, jnp.result_type(alpha, token_logits))
    logits = jnp.where(mask[:, None], jnp.asarray(token_logits, wide), 0.0)
    return jnp.where(mask, jnp.asarray(alpha, wide), 0.0), logits, mask
