"""Layer-wise relevance propagation: the predicted logit, handed back layer by layer to the words."""

import dataclasses
from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Key

from attn_jax.analyses.saliency.lrp.decoder import through_decoder
from attn_jax.analyses.saliency.lrp.encoder import through_encoder
from attn_jax.analyses.saliency.lrp.rule import Rule
from attn_jax.models.seam import AttentiveModel
from attn_jax.types import Example, Params


class Conservation(NamedTuple):
    """With bias factor 1, `words + elsewhere == logit`."""

    words: Float[Array, "T"]  # SOS and EOS too
    elsewhere: Float[Array, ""]  # initial states, the question, windows beyond the text
    logit: Float[Array, ""]


@dataclasses.dataclass(frozen=True)
class LRP:
    """Bach et al. (2015) with the LSTM rules of Arras et al. (2017); attention is a gate, so it takes none.

    Relevance starts at the predicted class's logit (class 0 of a single logit: its negative).
    """

    rule: Rule = dataclasses.field(default_factory=Rule)

    def __call__(
        self,
        model: AttentiveModel,
        params: Params,
        example: Example,
        alpha: Float[Array, "T"],
        logits: Float[Array, "C"],
        rng: Key[Array, ""],
    ) -> Float[Array, "T"]:
        """Signed, in units of logits; 0 where attention may not look."""
        found = self.conservation(model, params, example, alpha, logits, rng)
        return jnp.where(example.attendable, found.words, 0.0)

    def conservation(
        self,
        model: AttentiveModel,
        params: Params,
        example: Example,
        alpha: Float[Array, "T"],
        logits: Float[Array, "C"],
        rng: Key[Array, ""],
    ) -> Conservation:
        """Where all of the relevance went."""
        embedded = model.embed(params, example)
        encoded = model.encode(params, embedded)
        states, mask = encoded.states, jnp.asarray(encoded.mask)
        context = alpha @ states
        relevance, asked, logit = through_decoder(self.rule, model, params, encoded, context, logits)
        count = jnp.maximum(mask.sum(), 1) * states.shape[1]
        # Attention pooling: R_{h_t} = alpha_t h_t / context R_context, alpha a gate.
        pooled = self.rule.addends(alpha[:, None] * states, context, relevance, count)
        pooled = jnp.where(mask[:, None], pooled, 0.0)
        encoder: Any = model.encoder  # pyright: ignore[reportAttributeAccessIssue]
        found, left = through_encoder(
            self.rule, encoder, params.get("encoder", {}), embedded.x, embedded.valid, pooled
        )
        return Conservation(found.sum(-1), left + asked, logit)
