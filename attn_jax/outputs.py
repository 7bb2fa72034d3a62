"""From logits to what a model says: C = 1 is a sigmoid output, C > 1 a softmax."""

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Int

from attn_jax.types import AnyArray


def probabilities(logits: Float[AnyArray, "*N C"]) -> Float[Array, "*N D"]:
    """The output distribution; a single logit becomes the pair (1-p, p), so that TVD is |dp|.

    1-p is sigmoid(-l), not 1 - sigmoid(l): a saturated output keeps its small probability.
    """
    if logits.shape[-1] == 1:
        return jax.nn.sigmoid(jnp.concatenate([-logits, logits], axis=-1))
    return jax.nn.softmax(logits, axis=-1)


def predicted(logits: Float[AnyArray, "*N C"]) -> Int[Array, "*N"]:
    """The decision: class 1 iff the single logit is > 0, otherwise the first largest logit."""
    if logits.shape[-1] == 1:
        return jnp.asarray(logits[..., 0] > 0, jnp.int32)
    return jnp.argmax(logits, axis=-1).astype(jnp.int32)
