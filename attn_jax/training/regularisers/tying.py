"""States tied to their words (Tutek & Snajder 2020, eq. 4)."""

import dataclasses

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from attn_jax.errors import UserError
from attn_jax.models.seam import AttentiveModel
from attn_jax.training.objective import Pass
from attn_jax.types import Example, Params


@dataclasses.dataclass(frozen=True)
class Tying:
    """delta/T sum_t ||h_t - e_t||^2 over the attendable tokens; `strength` is delta.

    Differs from the paper: the mean over tokens is taken in each instance, then over the batch, so that
    a long text counts no more than a short one.
    """

    strength: float | Float[Array, ""] = 1.0

    def __call__(
        self, model: AttentiveModel, params: Params, example: Example, seen: Pass, rng: Array
    ) -> Float[Array, ""]:
        """The penalty of one example."""
        states, words, mask = seen.encoded.states, seen.embedded.x, seen.encoded.mask
        if states.shape != words.shape:
            raise UserError(
                f"Tying holds states of {states.shape[-1]} numbers to words of {words.shape[-1]}: "
                "make the encoder as wide as the word vectors."
            )
        distance = jnp.where(mask, jnp.square(states - words).sum(-1), 0.0)
        return self.strength * distance.sum() / jnp.maximum(mask.sum(), 1)
