"""Do the scores point at the tokens that are known to decide?"""

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float

from attn_jax.types import AnyArray


def average_precision(
    scores: Float[Array, "T"], truth: Bool[AnyArray, "T"], mask: Bool[AnyArray, "T"]
) -> Float[Array, ""]:
    """Area under the precision-recall curve of `scores` for `truth`, as ERASER measures plausibility.

    The mean over true tokens of the precision at each one's own score, which is scikit-learn's
    definition, ties included. NaN where no attendable token is true.
    """
    wanted = truth & mask

    def precision(score):
        chosen = mask & (scores >= score)
        return (chosen & wanted).sum() / jnp.maximum(chosen.sum(), 1)

    total = jnp.where(wanted, jax.vmap(precision)(scores), 0.0).sum()
    count = wanted.sum()
    return jnp.where(count > 0, total / jnp.maximum(count, 1), jnp.nan)


def token_f1(
    chosen: Bool[AnyArray, "T"], truth: Bool[AnyArray, "T"], mask: Bool[AnyArray, "T"]
) -> Float[Array, ""]:
    """F1 of a chosen set of tokens for `truth` (DeYoung et al. 2020); NaN as above."""
    found, wanted = chosen & mask, truth & mask
    f1 = 2 * (found & wanted).sum() / jnp.maximum(found.sum() + wanted.sum(), 1)
    return jnp.where(wanted.any(), f1, jnp.nan)


def iou_f1(
    chosen: Bool[AnyArray, "T"],
    truth: Bool[AnyArray, "T"],
    mask: Bool[AnyArray, "T"],
    *,
    threshold: float = 0.5,
) -> Float[Array, ""]:
    """F1 over spans (DeYoung et al. 2020); NaN where no attendable token is true.

    A chosen span, an unbroken run of tokens, is right if its intersection over union with some true span
    reaches the threshold.
    """
    found, wanted = _spans(chosen & mask), _spans(truth & mask)
    shared = found @ wanted.T
    union = found.sum(1)[:, None] + wanted.sum(1)[None] - shared
    right = (shared / jnp.maximum(union, 1.0)).max(1) >= threshold
    spans = found.any(1).sum() + wanted.any(1).sum()
    return jnp.where(wanted.any(), 2 * right.sum() / jnp.maximum(spans, 1), jnp.nan)


def _spans(tokens: Bool[AnyArray, "T"]) -> Float[Array, "R T"]:
    """One row of 0s and 1s for each unbroken run, in order; rows beyond the last run are 0.

    Runs have gaps between them: there are at most R = (T + 1) // 2.
    """
    starts = tokens & ~jnp.concatenate([jnp.zeros(1, bool), tokens[:-1]])
    number = jnp.where(tokens, jnp.cumsum(starts) - 1, -1)
    return (number[None] == jnp.arange((tokens.shape[0] + 1) // 2)[:, None]).astype(jnp.float32)
