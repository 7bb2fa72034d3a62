"""How sure would the model be if it looked at one token alone?"""

import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float

from attn_jax import outputs
from attn_jax.types import AnyArray


def token_probability(token_logits: Float[Array, "T C"], logits: Float[Array, "C"]) -> Float[Array, "T"]:
    """Probability of the predicted class with all attention on each token (Tutek & Snajder 2020, eq. 9)."""
    return outputs.probabilities(token_logits)[:, outputs.predicted(logits)]


def mean_token_probability(probabilities: Float[Array, "T"], mask: Bool[AnyArray, "T"]) -> Float[Array, ""]:
    """Its mean over the attendable tokens (their Table 3, one instance); NaN where there are none."""
    count = mask.sum()
    mean = jnp.where(mask, probabilities, 0.0).sum() / jnp.maximum(count, 1)
    return jnp.where(count > 0, mean, jnp.nan)
