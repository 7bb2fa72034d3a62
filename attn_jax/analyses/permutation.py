"""What happens to the output when the attention weights change places?"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Key

from attn_jax import divergences, outputs
from attn_jax.models.alterations import permute
from attn_jax.types import AnyArray


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
    return _median(jax.vmap(divergences.tvd, (0, None))(after, before))


def _median(distances: Float[Array, "K"]) -> Float[Array, ""]:
    """Of numbers >= 0, whose bits are in their order: a sort of integers is five times as fast."""
    bits = jnp.uint64 if distances.dtype == jnp.float64 else jnp.uint32
    ordered = jax.lax.sort(jax.lax.bitcast_convert_type(distances, bits))
    last = distances.shape[0] - 1
    middle = ordered[jnp.array([last // 2, (last + 1) // 2])]
    middle = jax.lax.bitcast_convert_type(middle, distances.dtype)
    # The bits of NaN are the largest: a few of them would go unseen.
    return jnp.where(jnp.isnan(distances).any(), jnp.nan, middle.mean())
