"""What happens to the output when the attention weights change places?"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Key

from attn_jax import divergences, masking, outputs
from attn_jax.types import AnyArray


def permute(
    rng: Key[Array, ""], alpha: Float[Array, "T"], mask: Bool[AnyArray, "T"], samples: int
) -> Float[Array, "K T"]:
    """Random permutations of the attendable tokens' weights.

    Draws have the shape [T, K], so that more padding leaves the draws of the real tokens as they were.
    """
    draws = jnp.where(mask[:, None], jax.random.uniform(rng, (mask.shape[0], samples)), jnp.inf)
    weights = jnp.broadcast_to(alpha[:, None], draws.shape)
    _, shuffled = jax.lax.sort((draws, weights), dimension=0, num_keys=1)
    # The i-th weight of the shuffled order goes to the i-th attendable token.
    places = jnp.argsort(masking.compact(mask))
    return jnp.where(mask[:, None], shuffled[places], 0.0).T


def permutation(
    decode: Callable[[Float[Array, "T"]], Float[Array, "C"]],
    alpha: Float[Array, "T"],
    mask: Bool[AnyArray, "T"],
    rng: Key[Array, ""],
    *,
    samples: int = 100,
) -> Float[Array, ""]:
    """Median TVD over random permutations (Jain & Wallace 2019, Alg. 2); the states are held fixed."""
    before = outputs.probabilities(decode(alpha))
    after = outputs.probabilities(jax.vmap(decode)(permute(rng, alpha, mask, samples)))
    return jnp.median(jax.vmap(divergences.tvd, (0, None))(after, before))
