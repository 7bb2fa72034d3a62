"""Where a text enters the encoder: behind its first affine layer, so that this is not passed again and again.

With g(x) = x W + b at each token, (x - x') . dy/dx = (g(x) - g(x')) . dy/dg: what runs along a line of word
vectors, or takes their product with the gradient, can stop at the gates of a recurrent encoder.
"""

from collections.abc import Callable
from typing import NamedTuple

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Key

from attn_jax.models.batched_recurrence import states_in_batches
from attn_jax.models.seam import AttentiveModel
from attn_jax.types import Embedded, Encoded, Params


class Entrance(NamedTuple):
    """`encode(enter(x))` is what the model makes of word vectors x; `enter` is affine at each token."""

    enter: Callable[[Float[Array, "*M T E"]], Float[Array, "*M T G"]]
    encode: Callable[[Float[Array, "*M T G"]], Encoded]


def entrance(
    model: AttentiveModel, params: Params, embedded: Embedded, rng: Key[Array, ""] | None = None
) -> Entrance:
    """The gates of one recurrent layer, the word vectors of any other encoder.

    `rng` is for random attention on the way to the states. Slopes are those in the words, not in `params`.
    """
    if not model.reads_on:
        rngs = None if rng is None else {"attention": rng}
        return Entrance(lambda x: x, lambda x: model.encode(params, embedded.replace(x=x), rngs=rngs))
    whole, kernels = model.encode(params, embedded), model.readings(params, embedded)

    def enter(x: Float[Array, "T E"]) -> Float[Array, "T G"]:
        return jnp.concatenate([r.gates for r in model.readings(params, embedded.replace(x=x))], -1)

    def encode(gates: Float[Array, "T G"]) -> Encoded:
        both = zip(kernels, jnp.split(gates, 2, -1), (False, True), strict=True)
        read = [states_in_batches(r.recurrent, own, r.valid, reverse=turned) for r, own, turned in both]
        return whole.replace(states=jnp.concatenate(read, -1))

    return Entrance(enter, encode)
