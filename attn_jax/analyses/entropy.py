"""How far is an attention from uniform?"""

import jax.numpy as jnp
from jax import Array
from jax.scipy.special import entr
from jaxtyping import Bool, Float

from attn_jax.types import AnyArray


def relative_entropy(alpha: Float[Array, "T"], mask: Bool[AnyArray, "T"]) -> Float[Array, ""]:
    """Entropy over ln n of n attendable tokens: 1 is uniform, 0 all on one; NaN for n < 2."""
    count = mask.sum()
    most = jnp.log(jnp.maximum(count, 2).astype(alpha.dtype))
    return jnp.where(count > 1, entr(jnp.where(mask, alpha, 0.0)).sum() / most, jnp.nan)
