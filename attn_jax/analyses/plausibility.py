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
