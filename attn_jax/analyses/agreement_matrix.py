"""Do the saliency methods agree with each other, on one example?"""

from typing import NamedTuple

import chex
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Bool, Float

from attn_jax.analyses import selection
from attn_jax.ranking import kendall_tau
from attn_jax.types import AnyArray


class AgreementMatrix(NamedTuple):
    """Both symmetric, one row and column a method."""

    tau: Float[Array, "M M"]  # Kendall's tau-b, NaN where undefined
    p_value: Float[Array, "M M"]
    overlap: Float[Array, "M M"]  # share of the top tokens in common, NaN where nothing is attendable


def agreement_matrix(
    scores: Float[AnyArray, "M T"], mask: Bool[AnyArray, "T"], *, top: int = 5
) -> AgreementMatrix:
    """Every pair of methods. The overlap is of the `top` tokens, or of all where there are fewer.

    Scores are compared as they are: take the magnitude first where a method's sign is of no interest.
    """
    chex.assert_equal_shape_suffix([scores, mask], 1)
    scores, mask = jnp.asarray(scores), jnp.asarray(mask)
    first, second = np.triu_indices(len(scores))
    # One pair after the other: each compares all pairs of tokens, which is much for a long text.
    found = jax.lax.map(lambda pair: kendall_tau(scores[pair[0]], scores[pair[1]], mask), (first, second))
    tau, p_value = (_symmetric(values, first, second) for values in found)
    chosen = jax.vmap(lambda row: selection.top(row, mask, top))(scores)
    shared = chosen.astype(scores.dtype) @ chosen.astype(scores.dtype).T
    count = jnp.minimum(mask.sum(), top)
    overlap = jnp.where(count > 0, shared / jnp.maximum(count, 1), jnp.nan)
    return AgreementMatrix(tau, p_value, overlap)


def _symmetric(values: Float[Array, "P"], first: np.ndarray, second: np.ndarray) -> Float[Array, "M M"]:
    """The matrix of the values on and above its diagonal."""
    upper = jnp.zeros((first.max() + 1,) * 2, values.dtype).at[first, second].set(values)
    return upper.at[second, first].set(values)
