"""How much the output moves with each input vector, the attention held constant."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Key

from attn_jax import outputs
from attn_jax.analyses import explained
from attn_jax.analyses.entrance import entrance
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
    door = entrance(model, params, embedded)

    def output(inside: Float[Array, "*M T G"]) -> Float[Array, ""]:
        return explained.under_encoded(model, params, door.encode(inside), target, alpha)

    inside, back = jax.vjp(door.enter, embedded.x)
    (slope,) = back(jax.grad(output)(inside))
    slope = jnp.where(example.attendable[..., None], slope, 0.0)
    return Gradient(
        jnp.abs((slope * embedded.x).sum(-1)),
        jnp.sqrt(jnp.square(slope).sum(-1)),
        slope.sum(-1),
        jnp.abs(slope).sum(-1),
    )


def times_input(
    model: AttentiveModel, params: Params, example: Example, rng: Key[Array, ""]
) -> Float[Array, "*M T"]:
    """The first of these scores alone, in one pass: its own states say what attention is held constant.

    |x . dy/dx| is computed as |(g(x) - g(0)) . dy/dg| at the entrance g of the encoder: the way back from
    there to the words is spared. `rng` is the instance's stream for random attention.
    """
    embedded = model.embed(params, example)
    door = entrance(model, params, embedded, rng)

    def output(inside: Float[Array, "*M T G"]) -> Float[Array, ""]:
        encoded = door.encode(inside)
        alpha = jax.lax.stop_gradient(model.attend(params, encoded, rngs={"attention": rng}))
        logits = model.decode(params, encoded, alpha)
        return outputs.probabilities(logits)[outputs.predicted(jax.lax.stop_gradient(logits))]

    inside, moved = jax.jvp(door.enter, (embedded.x,), (embedded.x,))  # moved is g(x) - g(0)
    found = jnp.abs((moved * jax.grad(output)(inside)).sum(-1))
    return jnp.where(example.attendable, found, 0.0)
