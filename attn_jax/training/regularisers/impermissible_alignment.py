"""Attention trained away from the token that each word written is taken from (Pruthi et al. 2020)."""

import dataclasses

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from attn_jax.models.seam import AttentiveModel
from attn_jax.training.objective import Pass
from attn_jax.training.regularisers.impermissible import exposure
from attn_jax.types import Example, Params


@dataclasses.dataclass(frozen=True)
class ImpermissibleAlignment:
    """`Impermissible` where every word written has a token of its own to be hidden: their copying tasks.

    `places` names it by position in the source, one a word; words beyond have none.
    """

    strength: float
    places: tuple[int, ...]

    def __call__(
        self, model: AttentiveModel, params: Params, example: Example, seen: Pass, rng: Array
    ) -> Float[Array, ""]:
        """The mean penalty of the words that have one."""
        count, mask = len(self.places), jnp.asarray(seen.encoded.mask)
        groups = jnp.arange(mask.shape[-1])[None] == jnp.array(self.places)[:, None]
        return self.strength * jax.vmap(exposure)(seen.alpha[:count], mask[:count], groups).mean()
