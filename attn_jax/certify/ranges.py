"""How far shuffling alpha among the attendable tokens can move each logit and the decision."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float

from attn_jax.certify import door
from attn_jax.outputs import predicted


class PermutationRange(NamedTuple):
    """Extremes over all permutations of alpha, per class; not attained together by one permutation.

    `margin_low[c]` is the least margin of the predicted class over class c (0 for itself): some
    permutation changes the decision iff one is < 0. For a sigmoid output all three have one entry, and
    the margin is the logit's, signed so that the predicted side is positive.
    """

    low: Float[Array, "C"]
    high: Float[Array, "C"]
    margin_low: Float[Array, "C"]


def permutation_range(alpha: door.Alpha, token_logits: door.TokenLogits, mask: door.Mask) -> PermutationRange:
    """The exact range that Jain & Wallace's (2019) Algorithm 2 samples with 100 permutations.

    By the rearrangement inequality a product of two sequences is largest with both sorted alike, least
    with them sorted against each other.
    """
    alpha, logits, mask = door.enter(alpha, token_logits, mask)
    here = alpha @ logits
    low, high = jax.vmap(extremes, (None, 1, None))(alpha, logits, mask)
    margins = _margins(logits, here)
    margin_low, _ = jax.vmap(extremes, (None, 1, None))(alpha, margins, mask)
    # The identity is a permutation: rounding must not say otherwise.
    return PermutationRange(jnp.minimum(low, here), jnp.maximum(high, here), margin_low)


def _margins(logits: Float[Array, "T C"], here: Float[Array, "C"]) -> Float[Array, "T C"]:
    """Each token's margin of the decision over each class."""
    decision = predicted(here)
    if logits.shape[1] == 1:
        return jnp.where(decision == 1, logits, -logits)
    return jnp.take(logits, decision, axis=1)[:, None] - logits


def extremes(
    alpha: Float[Array, "T"], s: Float[Array, "T"], mask: Bool[Array, "T"]
) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """Least and greatest sum of s times a permutation of alpha within the mask."""
    weights, rising = _sorted(alpha, mask), _sorted(s, mask)
    falling = -_sorted(-s, mask)
    return weights @ falling, weights @ rising


def _sorted(values: Float[Array, "T"], mask: Bool[Array, "T"]) -> Float[Array, "T"]:
    """The masked values in rising order, then zeros: padding meets padding."""
    first = jnp.sort(jnp.where(mask, values, jnp.inf))
    return jnp.where(jnp.arange(values.shape[0]) < mask.sum(), first, 0.0)
