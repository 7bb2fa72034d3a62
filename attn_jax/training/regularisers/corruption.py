"""Which words are masked, and what stands in their place (Devlin et al. 2019, section 3.1)."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int, Key

from attn_jax.data.vocabulary import PAD, SPECIAL
from attn_jax.types import AnyArray

# No real token looks up the row of PAD, so it serves as the word that hides another.
MASK = PAD
MASKED, REPLACED = 0.8, 0.1  # the rest stays as it is


class Corrupted(NamedTuple):
    """A text with some words hidden; of the M `places` only the `chosen` are to be guessed."""

    ids: Int[Array, "T"]
    places: Int[Array, "M"]
    chosen: Bool[Array, "M"]


def corrupt(
    rng: Key[Array, ""], ids: Int[AnyArray, "T"], mask: Bool[AnyArray, "T"], *, words: int, share: float
) -> Corrupted:
    """Hides `share` of the real tokens, at least one: 80 % masked, 10 % another word, 10 % unchanged.

    As in BERT's code so many tokens are drawn, not each with that probability; M is then static and
    the decoder sees 15 % of the positions instead of all.
    """
    where, what, which = jax.random.split(rng, 3)
    most = max(1, round(share * ids.shape[0]))
    order = jnp.where(mask, jax.random.uniform(where, mask.shape), -1.0)
    _, places = jax.lax.top_k(order, most)
    count = jnp.clip(jnp.round(share * mask.sum()), 1, most) * mask.any()
    chosen = jnp.arange(most) < count
    old = jnp.asarray(ids)[places]
    new = _instead(jax.random.uniform(what, (most,)), which, old, words)
    return Corrupted(jnp.asarray(ids).at[places].set(jnp.where(chosen, new, old)), places, chosen)


def _instead(
    draws: Float[Array, "M"], rng: Key[Array, ""], old: Int[Array, "M"], words: int
) -> Int[Array, "M"]:
    other = jax.random.randint(rng, old.shape, len(SPECIAL), words, old.dtype)
    return jnp.where(draws < MASKED, MASK, jnp.where(draws < MASKED + REPLACED, other, old))
