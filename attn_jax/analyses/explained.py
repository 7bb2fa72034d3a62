"""The number that a saliency method explains: one class's probability, as a function of the word vectors."""

from collections.abc import Callable

import jax
from jax import Array
from jaxtyping import Float, Int, Key

from attn_jax import outputs
from attn_jax.models.seam import AttentiveModel
from attn_jax.types import Encoded, Params

Output = Callable[[Float[Array, "*M T E"]], Float[Array, ""]]


def under_encoded(
    model: AttentiveModel,
    params: Params,
    encoded: Encoded,
    target: int | Int[Array, ""],
    alpha: Float[Array, "*Q T"],
) -> Float[Array, ""]:
    """Probability of `target` with the attention held constant: gradients do not pass through it."""
    return outputs.probabilities(model.decode(params, encoded, jax.lax.stop_gradient(alpha)))[target]


def of_encoded(
    model: AttentiveModel, params: Params, encoded: Encoded, rng: Key[Array, ""]
) -> Float[Array, "C"]:
    """All that the model says of encoded words under its own attention."""
    alpha = model.attend(params, encoded, rngs={"attention": rng})
    return outputs.probabilities(model.decode(params, encoded, alpha))
