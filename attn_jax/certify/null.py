"""The null of every claim about adversaries: the same attention over token logits that mean nothing.

On a long input two unattended tokens that straddle the output almost always exist, so a large epsilon-max
JSD is near-certain for any model. A claim holds only relative to this.
"""

import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike
from jaxtyping import Bool, Float, Key

from attn_jax.certify import door
from attn_jax.certify.adversary import MaxJsd, max_jsd
from attn_jax.masking import compact
from attn_jax.types import AnyArray


def shuffled(
    rng: Key[Array, ""], token_logits: Float[Array, "T C"], mask: Bool[AnyArray, "T"]
) -> Float[Array, "T C"]:
    """The rows of the attendable tokens in a random order; the others stay."""
    draws = jnp.where(mask, jax.random.uniform(rng, mask.shape), 2.0)
    return token_logits.at[compact(mask)].set(token_logits[jnp.argsort(draws, stable=True)])


def null_jsd(
    rng: Key[Array, ""],
    alpha: door.Alpha,
    token_logits: door.TokenLogits,
    mask: door.Mask,
    epsilon: ArrayLike,
) -> MaxJsd:
    """`max_jsd` with the token logits shuffled across the attendable tokens, alpha as it is."""
    alpha, logits, mask = door.enter(alpha, token_logits, mask)
    return max_jsd(alpha, shuffled(rng, logits, mask), mask, epsilon)
