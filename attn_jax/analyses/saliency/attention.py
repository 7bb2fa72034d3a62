"""Attention itself, as the explanation that the others are compared with."""

from jax import Array
from jaxtyping import Float, Key

from attn_jax.models.seam import AttentiveModel
from attn_jax.types import Example, Params


def attention(
    model: AttentiveModel,
    params: Params,
    example: Example,
    alpha: Float[Array, "T"],
    logits: Float[Array, "C"],
    rng: Key[Array, ""],
) -> Float[Array, "T"]:
    """The weights as they are."""
    return alpha
