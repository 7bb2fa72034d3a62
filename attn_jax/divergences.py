"""Distances between distributions: last axis, nats, finite gradients at 0 and 1."""

import jax.numpy as jnp
from jax import Array
from jax.scipy.special import xlogy
from jaxtyping import Float


def tvd(p: Float[Array, "*N C"], q: Float[Array, "*N C"]) -> Float[Array, "*N"]:
    """Total variation distance, half the L1 distance (Jain & Wallace 2019, section 4)."""
    return 0.5 * jnp.abs(p - q).sum(-1)


def jsd(p: Float[Array, "*N T"], q: Float[Array, "*N T"]) -> Float[Array, "*N"]:
    """Jensen-Shannon divergence, 0 to ln 2 (Jain & Wallace 2019, section 4).

    Written as sum xlogy(p, p/m)/2 + xlogy(q, q/m)/2 with m = (p+q)/2; p/m lies in [0, 2], so no
    logarithm of a vanishing ratio is taken where the weight is not itself 0. At a weight of 0 the true
    slope is -infinity for p = 0 < q is ln(0)/2: there the gradient is cut to 0, which keeps it finite.
    """
    middle = 0.5 * (p + q)
    safe = jnp.where(middle > 0, middle, 1.0)
    return jnp.maximum(0.5 * (_xlog(p, p / safe) + _xlog(q, q / safe)).sum(-1), 0.0)


def _xlog(weight: Float[Array, "*N T"], ratio: Float[Array, "*N T"]) -> Float[Array, "*N T"]:
    present = (weight > 0) & (ratio > 0)
    return jnp.where(present, xlogy(weight, jnp.where(present, ratio, 1.0)), 0.0)
