"""Kendall's tau-b with p-values, on one masked example; equal to `scipy.stats.kendalltau`."""

from typing import NamedTuple

import chex
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Bool, Float, Int

from attn_jax.types import AnyArray

_AT_ONCE = 4  # tokens that all others are compared with in one step
# Below or at this many tokens without ties the p-value is exact, as in scipy's method="auto".
_EXACT_MAX = 33


class Tau(NamedTuple):
    """Both are NaN where tau is undefined: fewer than two tokens, or all values of one side equal."""

    tau: Float[Array, ""]
    p_value: Float[Array, ""]


class _Row(NamedTuple):
    """What each token adds to the sums over pairs."""

    agreement: Int[Array, "T"]  # concordant minus discordant partners, of those with a greater x
    x_ties: Int[Array, "T"]
    y_ties: Int[Array, "T"]


def kendall_tau(x: Float[AnyArray, "T"], y: Float[AnyArray, "T"], mask: Bool[AnyArray, "T"]) -> Tau:
    """Kendall's tau-b of the unmasked entries and its two-sided p-value (Kendall 1945).

    tau = (concordant - discordant) / sqrt((pairs - ties in x)(pairs - ties in y)).
    """
    chex.assert_equal_shape([x, y, mask])
    rows = _rows(x, y, mask)
    n = mask.sum()
    score = rows.agreement.sum()
    x_ties, y_ties = rows.x_ties.sum() // 2, rows.y_ties.sum() // 2
    pairs = n * (n - 1) // 2
    scale = jnp.sqrt((pairs - x_ties).astype(jnp.float32)) * jnp.sqrt((pairs - y_ties).astype(jnp.float32))
    tau = jnp.clip(score / scale, -1.0, 1.0)  # where it is undefined this is 0 / 0
    exact = (n <= _EXACT_MAX) & (x_ties == 0) & (y_ties == 0)
    p_value = jnp.where(exact, _exact_p(score, pairs, n), _normal_p(score, rows, mask))
    return Tau(tau, jnp.where(jnp.isnan(tau), jnp.nan, p_value))


def _rows(x: Float[AnyArray, "T"], y: Float[AnyArray, "T"], mask: Bool[AnyArray, "T"]) -> _Row:
    """Every token beside every other, one partner of all after the other: no matrix of pairs is made."""
    # Nothing is greater than, smaller than or equal to what is not a number.
    x, y = (jnp.where(mask, values, jnp.nan) for values in (x, y))

    def beside(rows: _Row, partner: tuple[Array, Array]) -> tuple[_Row, None]:
        (x_there, y_there), greater = partner, partner[0] > x
        concordant, discordant = greater & (y_there > y), greater & (y_there < y)
        return _Row(
            rows.agreement + concordant - discordant,
            rows.x_ties + (x_there == x),
            rows.y_ties + (y_there == y),
        ), None

    # A token is tied with itself: taken off here, so that these are counts of partners.
    alone = -jnp.asarray(mask, jnp.int32)
    start = _Row(jnp.zeros_like(alone), alone, alone)
    return jax.lax.scan(beside, start, (x, y), unroll=_AT_ONCE)[0]


def _normal_p(score: Int[AnyArray, ""], rows: _Row, mask: Bool[AnyArray, "T"]) -> Float[Array, ""]:
    """Normal approximation with the variance corrected for ties, in floats: n^3 overflows int32.

    NaN below three tokens, where tau is undefined or its p-value exact.
    """
    n = mask.sum().astype(jnp.float32)
    m = n * (n - 1)
    x0, x1, x2 = _tie_sums(rows.x_ties)
    y0, y1, y2 = _tie_sums(rows.y_ties)
    variance = (m * (2 * n + 5) - x1 - y1) / 18 + x2 * y2 / (2 * m) + x0 * y0 / (9 * m * (n - 2))
    return jax.scipy.special.erfc(jnp.abs(score) / jnp.sqrt(variance) / 2**0.5)


def _tie_sums(ties: Int[Array, "T"]) -> tuple[Array, Array, Array]:
    """Sums over groups of t tied values of t(t-1)(t-2), t(t-1)(2t+5), t(t-1), taken token by token."""
    other = ties.astype(jnp.float32)
    return (other * (other - 1)).sum(), (other * (2 * other + 7)).sum(), other.sum()


def _exact_table() -> np.ndarray:
    """P(discordant pairs <= c) among n untied values under independence, for each n and c, float64.

    Inserting the n-th value adds 0..n-1 discordant pairs with equal chance (Kendall 1938). The distribution
    is symmetric, so counts up to half the pairs are enough.
    """
    size = _EXACT_MAX * (_EXACT_MAX - 1) // 4 + 1
    density = np.zeros((_EXACT_MAX + 1, size))
    density[1, 0] = 1.0
    for n in range(2, _EXACT_MAX + 1):
        density[n] = np.convolve(density[n - 1], np.full(n, 1 / n))[:size]
    return np.cumsum(density, axis=1)


_EXACT_CDF = _exact_table().astype(np.float32)


def _exact_p(score: Int[Array, ""], pairs: Int[Array, ""], n: Int[Array, ""]) -> Float[Array, ""]:
    discordant = (pairs - score) // 2
    fewer = jnp.minimum(discordant, pairs - discordant)
    # More tokens than the table has rows read whatever stands at its edge: their p-value is not exact.
    return jnp.minimum(2 * jnp.asarray(_EXACT_CDF)[n, fewer], 1.0)
