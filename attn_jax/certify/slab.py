"""The constraint "the output moves by at most epsilon" as an interval of the score s.alpha.

For a binary output p = sigmoid(s.alpha), and |p - y| <= epsilon holds iff s.alpha lies between
logit(y - epsilon) and logit(y + epsilon): the simplex is cut by a slab. Where y - epsilon <= 0 or
y + epsilon >= 1 that face lies at infinity.
"""

from typing import NamedTuple

import chex
import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike
from jaxtyping import Bool, Float

# Roundings allowed for, in ulp of max|s|: half for alpha's own score, half for the point found.
ULPS = 8


class Slab(NamedTuple):
    """Closed interval of s.alpha; empty where low > high."""

    low: Float[Array, ""]
    high: Float[Array, ""]


def score(token_logits: Float[Array, "T C"], mask: Bool[Array, "T"]) -> Float[Array, "T"]:
    """The score s with P(class 1) = sigmoid(s.alpha), for C = 1 and C = 2; 0 outside the mask."""
    chex.assert_axis_dimension_lteq(token_logits, 1, 2)
    s = token_logits[:, 0] if token_logits.shape[1] == 1 else token_logits[:, 1] - token_logits[:, 0]
    return jnp.where(mask, s, 0.0)


def rounding(s: Float[Array, "*N"]) -> Float[Array, ""]:
    """What float arithmetic may do to s.alpha: 8 ulp of max|s|.

    Never less than 8 ulp of 1, because the faces are logits of numbers rounded relative to 1.
    """
    largest = jnp.maximum(jnp.abs(s).max(), 1.0)
    return ULPS * (jnp.nextafter(largest, jnp.inf) - largest)


def inner(s: Float[Array, "T"], alpha: Float[Array, "T"], epsilon: ArrayLike) -> Slab:
    """The slab shrunk by the rounding: a point found in it satisfies the constraint in exact arithmetic."""
    return _slab(s, alpha, epsilon, -0.5 * rounding(s))


def outer(s: Float[Array, "T"], alpha: Float[Array, "T"], epsilon: ArrayLike) -> Slab:
    """The slab widened by the rounding: it holds every point that satisfies the constraint."""
    here, slack = jnp.dot(alpha, s), rounding(s)
    slab = _slab(s, alpha, epsilon, 0.5 * slack)
    # An underflowed probability has no logit: the present output still satisfies the constraint.
    return Slab(jnp.minimum(slab.low, here - slack), jnp.maximum(slab.high, here + slack))


def _slab(s: Float[Array, "T"], alpha: Float[Array, "T"], epsilon: ArrayLike, slack: Array) -> Slab:
    """Faces with every rounded term pushed outwards (`slack` positive) or inwards (negative)."""
    here = jnp.dot(alpha, s)
    # 1 - p as sigmoid(-z): a saturated output keeps its small probability.
    p, q, eps = jax.nn.sigmoid(here), jax.nn.sigmoid(-here), jnp.asarray(epsilon, s.dtype)
    return between(p, q, eps, p * q * slack, slack)


def between(
    p: Float[Array, ""],
    q: Float[Array, ""],
    eps: Float[Array, ""],
    shift: Float[Array, ""],
    slack: Float[Array, ""],
) -> Slab:
    """[log((p-eps)/(q+eps)), log((p+eps)/(q-eps))], the range of log(p'/q') when each moves by <= eps.

    `shift` is the rounding of p and q that the score's own rounding causes, `slack` that of the score;
    both positive to widen, negative to shrink. A face whose vanishing term is <= 0 lies at infinity.
    """
    relative = jnp.sign(slack) * 4 * jnp.finfo(p.dtype).eps
    p_shift, q_shift = shift + relative * (p + eps), shift + relative * (q + eps)
    low = _log_ratio(p - eps - p_shift, q + eps + q_shift)
    high = -_log_ratio(q - eps - q_shift, p + eps + p_shift)
    return Slab(low - slack, high + slack)


def _log_ratio(over: Float[Array, ""], under: Float[Array, ""]) -> Float[Array, ""]:
    """log(over / under), -inf where nothing is left over."""
    ratio = jnp.maximum(over, 0.0) / jnp.maximum(under, jnp.finfo(under.dtype).tiny)
    return jnp.where(over > 0, jnp.log(ratio), -jnp.inf)
