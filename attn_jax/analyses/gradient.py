"""How much the output moves with each input vector, the attention held constant."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from attn_jax import outputs
from attn_jax.analyses import explained
from attn_jax.models.seam import AttentiveModel
from attn_jax.types import Example, Params


class Gradient(NamedTuple):
    """Importance of each token; 0 where attention may not look. All 0 where the output is saturated."""

    times_input: Float[Array, "*M T"]  # |x . dy/dx|: the derivative for the one-hot word, Alg. 1
    l2: Float[Array, "*M T"]  # ||dy/dx||
    total: Float[Array, "*M T"]  # sum_e dy/dx_e, signed
    l1: Float[Array, "*M T"]  # sum_e |dy/dx_e|


def gradient(
    model: AttentiveModel,
    params: Params,
    example: Example,
    alpha: Float[Array, "*Q T"],
    logits: Float[Array, "C"],
) -> Gradient:
    """Jain & Wallace (2019), Alg. 1: g_t = |sum_w 1[x_tw = 1] dy/dx_tw|, disconnected at the attention.

    y is the probability of class 1 for a sigmoid, of the predicted class for a softmax.
    """
    embedded = model.embed(params, example)
    target = 1 if logits.shape[-1] == 1 else outputs.predicted(logits)
    output = explained.under(model, params, embedded, target, alpha)
    slope = jnp.where(example.attendable[..., None], jax.grad(output)(embedded.x), 0.0)
    return Gradient(
        jnp.abs((slope * embedded.x).sum(-1)),
        jnp.sqrt(jnp.square(slope).sum(-1)),
        slope.sum(-1),
        jnp.abs(slope).sum(-1),
    )
