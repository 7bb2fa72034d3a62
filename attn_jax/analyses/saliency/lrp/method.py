"""Layer-wise relevance propagation: the predicted logit, handed back layer by layer to the words."""

import dataclasses
from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from attn_jax.analyses.case import Case
from attn_jax.analyses.saliency.lrp.decoder import check, through_decoder
from attn_jax.analyses.saliency.lrp.document import through_document
from attn_jax.analyses.saliency.lrp.encoder import through_encoder
from attn_jax.analyses.saliency.lrp.pooling import through_attention
from attn_jax.analyses.saliency.lrp.rule import Rule
from attn_jax.models.hierarchical import HierarchicalClassifier


class Conservation(NamedTuple):
    """With bias factor 1, `words + elsewhere == logit`."""

    words: Float[Array, "*M T"]  # SOS and EOS too
    elsewhere: Float[Array, ""]  # initial states, the question, windows beyond the text
    logit: Float[Array, ""]


@dataclasses.dataclass(frozen=True)
class LRP:
    """Bach et al. (2015) with the LSTM rules of Arras et al. (2017); attention is a gate, so it takes none.

    Relevance starts at the predicted class's logit (class 0 of a single logit: its negative).
    """

    rule: Rule = dataclasses.field(default_factory=Rule)

    def __call__(self, case: Case) -> Float[Array, "*M T"]:
        """Signed, in units of logits; 0 where attention may not look."""
        return jnp.where(case.example.attendable, self.conservation(case).words, 0.0)

    def conservation(self, case: Case) -> Conservation:
        """Where all of the relevance went."""
        check(case.model)
        if isinstance(case.model, HierarchicalClassifier):
            found, left, logit = through_document(self.rule, case.model, case)
            return Conservation(found.sum(-1), left, logit)
        embedded, encoded = case.model.embed(case.params, case.example), case.seen.encoded
        context = case.alpha @ encoded.states
        relevance, asked, logit = through_decoder(
            self.rule, case.model, case.params, encoded, context, case.logits
        )
        pooled = through_attention(self.rule, case.alpha, encoded.states, encoded.mask, relevance)
        encoder: Any = case.model.encoder  # pyright: ignore[reportAttributeAccessIssue]
        own = case.params.get("encoder", {})
        found, left = through_encoder(self.rule, encoder, own, embedded.x, embedded.valid, pooled)
        return Conservation(found.sum(-1), left + asked, logit)
