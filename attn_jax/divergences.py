"""Distances between distributions: last axis, nats, finite gradients at 0 and 1."""

import jax
import jax.numpy as jnp
from jax import Array
from jax.scipy.special import xlogy
from jaxtyping import Float

from attn_jax.types import AnyArray


def tvd(p: Float[AnyArray, "*N C"], q: Float[AnyArray, "*N C"]) -> Float[Array, "*N"]:
    """Total variation distance, half the L1 distance (Jain & Wallace 2019, section 4)."""
    return 0.5 * jnp.abs(p - q).sum(-1)


def jsd(p: Float[AnyArray, "*N T"], q: Float[AnyArray, "*N T"]) -> Float[Array, "*N"]:
    """Jensen-Shannon divergence, 0 to ln 2 (Jain & Wallace 2019, section 4).

    With m = (p+q)/2 it is half the sum of p ln(p/m) and q ln(q/m). Where p = 0 < q the slope of the first
    in p is truly -infinity; it is cut to 0 there, so gradients are finite everywhere.
    """
    middle = 0.5 * (p + q)
    safe = jnp.where(middle > 0, middle, 1.0)
    return jnp.maximum(0.5 * (_xlog(p, p / safe) + _xlog(q, q / safe)).sum(-1), 0.0)


def kl(p: Float[AnyArray, "*N T"], q: Float[AnyArray, "*N T"]) -> Float[Array, "*N"]:
    """Kullback-Leibler divergence, the sum of p ln(p/q); without a bound, but finite.

    Where q = 0 the smallest normal number stands in its place, and where p = 0 the slope is cut to 0.
    """
    floor = jnp.maximum(q, jnp.finfo(jnp.result_type(p, q)).tiny)
    return _xlog(p, p / floor).sum(-1)


def _xlog(weight: Float[AnyArray, "*N T"], ratio: Float[AnyArray, "*N T"]) -> Float[Array, "*N T"]:
    present = ratio > 0  # then the weight is too
    return jnp.where(present, xlogy(weight, jnp.where(present, ratio, 1.0)), 0.0)


@jax.custom_jvp
def xlogx(v: Float[AnyArray, "*N"]) -> Float[Array, "*N"]:
    """The entropy term v ln v, 0 at 0, where its slope is cut to a large finite one."""
    return jnp.asarray(v) * jnp.log(jnp.maximum(v, jnp.finfo(jnp.result_type(v)).tiny))


@xlogx.defjvp
def _slope(primals, tangents):
    """d(v ln v) = (1 + ln v) dv: the logarithm serves the value too."""
    (v,), (tangent,) = primals, tangents
    logarithm = jnp.log(jnp.maximum(v, jnp.finfo(jnp.result_type(v)).tiny))
    return v * logarithm, (1.0 + logarithm) * tangent
