"""Masked words to be guessed from their states (Tutek & Snajder 2020, eq. 5; Devlin et al. 2019)."""

import dataclasses

import jax
import jax.numpy as jnp
import optax
from jax import Array
from jaxtyping import Float

from attn_jax.errors import UserError
from attn_jax.models.seam import AttentiveModel
from attn_jax.training.objective import Pass
from attn_jax.training.regularisers.corruption import corrupt
from attn_jax.types import Example, Params


@dataclasses.dataclass(frozen=True)
class MaskedWords:
    """eta times the cross-entropy of the words behind a masked 15 %, summed; `strength` is eta.

    A sum over a text, so that a longer one weighs more: the paper's footnote 5, and its reason to choose
    eta by the data set. The decoder is the table of word vectors, held constant: what is learned is the
    encoder, which reads the corrupted text a second time.
    """

    strength: float | Float[Array, ""] = 1.0
    share: float = 0.15

    def __call__(
        self, model: AttentiveModel, params: Params, example: Example, seen: Pass, rng: Array
    ) -> Float[Array, ""]:
        """The penalty of one example."""
        table = jax.lax.stop_gradient(params["embedding"]["table"]["embedding"])
        draws, dropout = jax.random.split(rng)
        hidden = corrupt(draws, example.ids, seen.encoded.mask, words=table.shape[0], share=self.share)
        embedded = model.embed(params, example.replace(ids=hidden.ids))
        states = model.encode(params, embedded, train=True, rngs={"dropout": dropout}).states
        if states.shape[-1] != table.shape[-1]:
            raise UserError(
                f"The masked-word decoder is tied to word vectors of {table.shape[-1]} numbers, the states "
                f"have {states.shape[-1]}: make the encoder as wide as the word vectors."
            )

        # One word after another and nothing kept: the logits of all at once would need T * V numbers.
        @jax.checkpoint
        def surprise(place):
            return optax.softmax_cross_entropy_with_integer_labels(table @ states[place], example.ids[place])

        losses = jax.lax.map(surprise, hidden.places)
        return self.strength * jnp.where(hidden.chosen, losses, 0.0).sum()
