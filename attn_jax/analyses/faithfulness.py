"""Does the prediction rest on the tokens that a score puts first?"""

from collections.abc import Callable
from typing import NamedTuple

import chex
import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int

from attn_jax import outputs
from attn_jax.analyses import selection
from attn_jax.types import AnyArray

PERCENT = (1, 5, 10, 20, 50)  # of the attendable tokens, rounded up (DeYoung et al. 2020)


class Faithfulness(NamedTuple):
    """Changes in the predicted class's probability, one a percentage; NaN where nothing is attendable.

    The AOPC is the mean over the percentages. The normalised versions lie in [0, 1] and are NaN where
    even the empty text loses nothing.
    """

    comprehensiveness: Float[Array, "P"]  # p - p(without the top tokens): high is faithful
    sufficiency: Float[Array, "P"]  # p - p(the top tokens alone): low is faithful
    normalised_comprehensiveness: Float[Array, "P"]
    normalised_sufficiency: Float[Array, "P"]  # high is faithful
    aopc_comprehensiveness: Float[Array, ""]
    aopc_sufficiency: Float[Array, ""]
    aopc_normalised_comprehensiveness: Float[Array, ""]
    aopc_normalised_sufficiency: Float[Array, ""]


def faithfulness(
    erased: Callable[[Bool[Array, "T"]], Float[Array, "C"]],
    scores: Float[AnyArray, "T"],
    mask: Bool[AnyArray, "T"],
    percent: tuple[int, ...] = PERCENT,
) -> Faithfulness:
    """DeYoung et al. (2020), and normalised by the empty text (Carton et al. 2020).

    `erased` gives the logits without a set of tokens: `erasure.erase` in any of its modes. With
    S = 1 - max(0, p - p_reduced) and S0 that of the empty text, the normalised ones are
    (S - S0) / (1 - S0) and max(0, p - p_reduced) / (1 - S0), cut to [0, 1].

    The AOPC averages these percentages alone: the empty rationale, comprehensiveness 0, is not among them.
    """
    chex.assert_equal_shape([scores, mask])
    mask = jnp.asarray(mask)
    whole = erased(jnp.zeros_like(mask))
    said = outputs.predicted(whole)
    full = outputs.probabilities(whole)[said]

    def drop(removed: Bool[Array, "T"]) -> Float[Array, ""]:
        lost = full - outputs.probabilities(erased(removed))[said]
        return jnp.where(mask.any(), lost, jnp.nan)

    chosen = jax.vmap(lambda count: selection.top(scores, mask, count))(counts(mask, percent))
    without, alone = jax.vmap(drop)(chosen), jax.vmap(drop)(mask[None] & ~chosen)
    room = jnp.maximum(drop(mask), 0.0)  # 1 - S0: what the empty text loses
    comprehensive = _share(jnp.maximum(without, 0.0), room)
    sufficient = _share(room - jnp.maximum(alone, 0.0), room)
    each = without, alone, comprehensive, sufficient
    return Faithfulness(*each, *(values.mean() for values in each))


def counts(mask: Bool[AnyArray, "T"], percent: tuple[int, ...]) -> Int[Array, "P"]:
    """How many tokens each percentage is, rounded up in whole numbers."""
    return (jnp.array(percent) * mask.sum() + 99) // 100


def _share(part: Float[Array, "P"], room: Float[Array, ""]) -> Float[Array, "P"]:
    return jnp.where(room > 0, jnp.clip(part / jnp.where(room > 0, room, 1.0), 0.0, 1.0), jnp.nan)
