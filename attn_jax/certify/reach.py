"""How far one can go from a feasible attention towards another before the output has moved too much."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike
from jaxtyping import Bool, Float

from attn_jax.certify import slab
from attn_jax.divergences import tvd
from attn_jax.outputs import probabilities

BISECTIONS = 20


class Tolerance(NamedTuple):
    """Outputs within `radius` of `output` in TVD: epsilon less what rounding may hide."""

    output: Float[Array, "D"]
    radius: Float[Array, ""]


def tolerance(alpha: Float[Array, "T"], token_logits: Float[Array, "T C"], epsilon: ArrayLike) -> Tolerance:
    """The tolerance around alpha's own output; of negative radius where epsilon drowns in rounding."""
    radius = jnp.asarray(epsilon, alpha.dtype) - slab.rounding(token_logits)
    return Tolerance(probabilities(alpha @ token_logits), radius)


def excess(within: Tolerance, logits: Float[Array, "*N C"]) -> Float[Array, "*N"]:
    """By how much outputs with these logits leave the tolerance; <= 0 where they do not."""
    p = probabilities(logits)
    return tvd(p, jnp.broadcast_to(within.output, p.shape)) - within.radius


def feasible(within: Tolerance, logits: Float[Array, "*N C"]) -> Bool[Array, "*N"]:
    """Whether outputs with these logits are within tolerance."""
    return excess(within, logits) <= 0


def reach(within: Tolerance, start: Float[Array, "C"], end: Float[Array, "C"]) -> Float[Array, ""]:
    """A feasible step in [0, 1] from logits `start`, which are feasible, towards `end`, by bisection.

    The last one feasible before the output leaves the tolerance; 1 if `end` itself is feasible.
    """

    def halve(_: ArrayLike, bounds: tuple[Array, Array]) -> tuple[Array, Array]:
        good, bad = bounds
        middle = 0.5 * (good + bad)
        ok = feasible(within, start + middle * (end - start))
        return jnp.where(ok, middle, good), jnp.where(ok, bad, middle)

    nothing, all_the_way = jnp.zeros((), start.dtype), jnp.ones((), start.dtype)
    good, _ = jax.lax.fori_loop(0, BISECTIONS, halve, (nothing, all_the_way))
    return jnp.where(feasible(within, end), 1.0, good)
