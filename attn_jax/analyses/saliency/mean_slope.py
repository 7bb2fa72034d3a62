"""The mean gradient over several inputs: what integrated gradients and SmoothGrad have in common."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Int

from attn_jax.analyses.explained import Output


def mean_slope(
    output: Output,
    point: Callable[[Int[Array, ""]], Float[Array, "*M T E"]],
    weights: Float[Array, "K"],
) -> Float[Array, "*M T E"]:
    """sum_k weights_k d output / dx at point(k). One point at a time: memory does not grow with K."""

    def add(total: Array, now: tuple[Array, Array]) -> tuple[Array, None]:
        k, weight = now
        return total + weight * jax.grad(output)(point(k)), None

    places = jnp.arange(weights.shape[0])
    return jax.lax.scan(add, jnp.zeros_like(point(places[0])), (places, weights))[0]
