"""No permutation of alpha within the slab is farther from alpha than this: a Lagrangian bound.

Which weight goes to which token is an assignment problem: JSD(b, alpha) for b a permutation of alpha is a
constant less half the sum of x(a_i + b_i), x(v) = v ln v. The one linear constraint on s.b gets a
multiplier, and by weak duality any prices u of the tokens, whatever their origin, bound the optimum:
sum_i u_i + sum_j max_i (M_ij - u_i). Good prices come from Sinkhorn's iteration at a small temperature.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float

from attn_jax.certify.farthest import LN2
from attn_jax.certify.ranges import extremes
from attn_jax.certify.slab import Slab
from attn_jax.divergences import xlogx

TEMPERATURES = (2e-2, 5e-3, 1e-3, 3e-4)
SINKHORN = 16  # iterations at one multiplier, warm-started
BISECTIONS = 12  # of the multiplier, on a logarithmic scale over these powers of ten
DECADES = (-2.0, 2.0)


class Bound(NamedTuple):
    """The bound, and the weight each token would get, on average, at the best multiplier."""

    value: Float[Array, ""]
    preferred: Float[Array, "T"]


class Problem(NamedTuple):
    """`gain[i, j]`: weight a_j on token i; `slope[i]`: what a unit of weight on token i adds to s.b - s.a."""

    alpha: Float[Array, "T"]
    mask: Bool[Array, "T"]
    gain: Float[Array, "T T"]
    slope: Float[Array, "T"]
    room: Slab


def permutation_bound(
    alpha: Float[Array, "T"], s: Float[Array, "T"], within: Slab, mask: Bool[Array, "T"]
) -> Bound:
    """An upper bound of JSD(b, alpha) over the permutations b of alpha with s.b in the slab."""
    problem, reach = _problem(alpha, s, within, mask)
    prices, multiplier = jnp.zeros_like(alpha), jnp.zeros((), alpha.dtype)
    cooling = jnp.asarray(TEMPERATURES, alpha.dtype)
    prices, means = jax.lax.scan(lambda p, t: _sinkhorn(problem, multiplier, p, t), prices, cooling)
    preferred = means[-1]
    side = jnp.where(_moved(problem, preferred) > problem.room.high, -1.0, 1.0)
    free = Bound(_weak_dual(problem, multiplier, prices), preferred)
    best = _search(problem, side / jnp.maximum(reach, 1e-6), prices, free)
    # Without the constraint the optimum pairs the largest weights with the smallest.
    opposed = _at_most(alpha, mask)
    return best._replace(value=jnp.minimum(best.value, opposed))


def _problem(
    alpha: Float[Array, "T"], s: Float[Array, "T"], within: Slab, mask: Bool[Array, "T"]
) -> tuple[Problem, Float[Array, ""]]:
    """The problem relative to alpha's own score, and the width of all that permutations can reach."""
    here, (low, high) = alpha @ s, extremes(alpha, s, mask)
    # A face beyond reach, or at infinity, constrains nothing: move it to where it still does not.
    room = Slab(jnp.maximum(within.low, low) - here, jnp.minimum(within.high, high) - here)
    gain = -0.5 * xlogx(alpha[:, None] + alpha[None, :])
    return Problem(alpha, mask, gain, jnp.where(mask, s - here, 0.0), room), high - low


def _search(problem: Problem, unit: Float[Array, ""], prices: Float[Array, "T"], free: Bound) -> Bound:
    """Bisection of the multiplier on whether the soft assignment still leaves the slab."""
    coldest = jnp.asarray(TEMPERATURES[-1], prices.dtype)

    def halve(_: Array, state: tuple[Array, Array, Array, Bound]) -> tuple[Array, Array, Array, Bound]:
        small, large, prices, best = state
        power = 0.5 * (small + large)
        multiplier = unit * 10.0**power
        prices, preferred = _sinkhorn(problem, multiplier, prices, coldest)
        value, moved = _weak_dual(problem, multiplier, prices), _moved(problem, preferred)
        outside = jnp.where(unit > 0, moved < problem.room.low, moved > problem.room.high)
        found = Bound(value, preferred)
        best = jax.tree.map(lambda new, old: jnp.where(value < best.value, new, old), found, best)
        return jnp.where(outside, power, small), jnp.where(outside, large, power), prices, best

    bounds = tuple(jnp.asarray(decade, prices.dtype) for decade in DECADES)
    return jax.lax.fori_loop(0, BISECTIONS, halve, (*bounds, prices, free))[-1]


def _sinkhorn(
    problem: Problem, multiplier: Float[Array, ""], prices: Float[Array, "T"], temperature: Float[Array, ""]
) -> tuple[Float[Array, "T"], Float[Array, "T"]]:
    """Prices of the tokens after alternating soft maxima, and each token's mean weight at these prices."""
    gain = _tilted(problem, multiplier)

    def soft(table: Float[Array, "T T"]) -> Float[Array, "T"]:
        scaled = jnp.where(problem.mask[None], table, -jnp.inf) / temperature
        top = jnp.where(problem.mask, scaled.max(1), 0.0)
        return temperature * (top + jnp.log(jnp.maximum(jnp.exp(scaled - top[:, None]).sum(1), 1e-30)))

    def step(_: Array, prices: Float[Array, "T"]) -> Float[Array, "T"]:
        weights = soft(gain.T - prices[None])
        return jnp.where(problem.mask, soft(gain - weights[None]), 0.0)

    prices = jax.lax.fori_loop(0, SINKHORN, step, prices)
    weights = soft(gain.T - prices[None])
    plan = jnp.exp(jnp.minimum((gain - prices[:, None] - weights[None]) / temperature, 0.0))
    plan = jnp.where(problem.mask[None], plan, 0.0)
    mean = plan @ problem.alpha / jnp.maximum(plan.sum(1), 1e-30)
    return prices, jnp.where(problem.mask, mean, 0.0)


def _weak_dual(problem: Problem, multiplier: Float[Array, ""], prices: Float[Array, "T"]) -> Float[Array, ""]:
    """The bound that these prices and this multiplier prove, with room for the rounding of its own sums."""
    gain, mask = _tilted(problem, multiplier), problem.mask
    weights = jnp.where(mask[:, None], gain - prices[:, None], -jnp.inf).max(0)
    prices = jnp.where(mask[None], gain - weights[None], -jnp.inf).max(1)
    weights = jnp.where(mask[:, None], gain - prices[:, None], -jnp.inf).max(0)
    parts = jnp.where(mask, prices, 0.0), jnp.where(mask, weights, 0.0)
    face = multiplier * jnp.where(multiplier >= 0, problem.room.low, problem.room.high)
    own = multiplier * (problem.slope @ problem.alpha)
    size = sum(jnp.abs(part).sum() for part in parts) + jnp.abs(face) + jnp.abs(own) + 2 * LN2
    rounding = 4 * jnp.finfo(prices.dtype).eps * size
    return _constant(problem.alpha) + parts[0].sum() + parts[1].sum() - own - face + rounding


def _tilted(problem: Problem, multiplier: Float[Array, ""]) -> Float[Array, "T T"]:
    return problem.gain + multiplier * problem.slope[:, None] * problem.alpha[None, :]


def _moved(problem: Problem, weights: Float[Array, "T"]) -> Float[Array, ""]:
    return problem.slope @ (weights - problem.alpha)


def _constant(alpha: Float[Array, "T"]) -> Float[Array, ""]:
    return xlogx(alpha).sum() + alpha.sum() * LN2


def _at_most(alpha: Float[Array, "T"], mask: Bool[Array, "T"]) -> Float[Array, ""]:
    """The greatest JSD of any permutation: -x is concave, so sums a_i + b_i as equal as can be."""
    rising = jnp.sort(jnp.where(mask, alpha, jnp.inf))
    falling = -jnp.sort(jnp.where(mask, -alpha, jnp.inf))
    paired = jnp.where(jnp.arange(alpha.shape[0]) < mask.sum(), rising + falling, 0.0)
    return _constant(alpha) - 0.5 * xlogx(paired).sum()
