"""The number that a saliency method explains: one class's probability, as a function of the word vectors."""

from collections.abc import Callable

import jax
from jax import Array
from jaxtyping import Float, Int, Key

from attn_jax import outputs
from attn_jax.models.seam import AttentiveModel
from attn_jax.types import Embedded, Params

Output = Callable[[Float[Array, "*M T E"]], Float[Array, ""]]


def under(
    model: AttentiveModel,
    params: Params,
    embedded: Embedded,
    target: int | Int[Array, ""],
    alpha: Float[Array, "*Q T"],
) -> Output:
    """Probability of `target` with the attention held constant: gradients do not pass through it."""

    def output(x: Float[Array, "*M T E"]) -> Float[Array, ""]:
        encoded = model.encode(params, embedded.replace(x=x))
        return outputs.probabilities(model.decode(params, encoded, jax.lax.stop_gradient(alpha)))[target]

    return output


def live(
    model: AttentiveModel,
    params: Params,
    embedded: Embedded,
    target: int | Int[Array, ""],
    rng: Key[Array, ""],
) -> Output:
    """Probability of `target` with the attention that the model itself gives at each input."""
    said = distribution(model, params, embedded, rng)
    return lambda x: said(x)[target]


def distribution(
    model: AttentiveModel, params: Params, embedded: Embedded, rng: Key[Array, ""]
) -> Callable[[Float[Array, "*M T E"]], Float[Array, "C"]]:
    """All that the model says, its own attention at each input."""
    rngs = {"attention": rng}

    def output(x: Float[Array, "*M T E"]) -> Float[Array, "C"]:
        encoded = model.encode(params, embedded.replace(x=x), rngs=rngs)
        return outputs.probabilities(model.decode(params, encoded, model.attend(params, encoded, rngs=rngs)))

    return output
