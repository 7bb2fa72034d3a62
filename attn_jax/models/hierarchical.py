"""Hierarchical attention: words to sentences to a document (Yang et al. 2016; Vashishth et al. 2019, 3.1).

A document is an `Example` whose arrays carry a sentence axis M before the word axis T. Sentences as rows,
rather than a flat text with sentence numbers: the mask is then exactly as large as the word attention, a
recurrence is as long as a sentence and not as a document, permuting and deleting stay within a row, and
no field is needed that other models would have to ignore. The price is padding in short sentences.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

import flax.linen as nn
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Key

from attn_jax import rng as streams
from attn_jax.models import attentions
from attn_jax.models.layers import Linear
from attn_jax.models.seam import Alteration, AttentiveModel
from attn_jax.types import Embedded, Encoded, Example, Params


class HierarchicalClassifier(AttentiveModel):
    """Attention over the words of each sentence [M, T], then over the sentences [M]; affine output.

    The rank of `encoded.mask` says which of the two sites it belongs to. At the site `sentence` the
    logits are affine in alpha; at `word` a sentence encoder lies between.

    Differs from the paper (its sizes and cells as recalled): encoders and attentions are module fields;
    with `BiLSTM` and `Additive` there, an LSTM stands for the GRU, and the attention's hidden layer is
    half as wide as the states instead of equally wide.
    """

    embedding: nn.Module
    word_encoder: nn.Module
    word_attention: nn.Module
    sentence_encoder: nn.Module
    sentence_attention: nn.Module
    classes: int

    sites: ClassVar[tuple[str, ...]] = ("word", "sentence")

    def setup(self):
        """One logit decides between two classes."""
        self.decoder = Linear(1 if self.classes == 2 else self.classes)

    @property
    def skips_gaps(self) -> bool:
        """As both encoders do."""
        return all(getattr(e, "skips_gaps", False) for e in (self.word_encoder, self.sentence_encoder))

    @nn.nowrap
    def decode_altered(
        self, params: Params, encoded: Encoded, alterations: Mapping[str, Alteration], rng: Key[Array, ""]
    ) -> Float[Array, "C"]:
        """Logits with either attention or both altered; each site's alteration has its own stream.

        The natural attention over sentences is taken after the words' was altered.
        """
        self.check_sites(*alterations)
        for site in self.sites:
            alpha = self.attend(params, encoded, rngs={"attention": rng})
            if site in alterations:
                alpha = alterations[site](streams.stream(rng, site), alpha, jnp.asarray(encoded.mask))
            if site == "word":
                encoded = self._call("_sentences", params, encoded, alpha)
        return self.decode(params, encoded, alpha)

    def _embed(self, example: Example) -> Embedded:
        words = self.embedding(example.ids.reshape(-1), example.valid.reshape(-1))
        x = words.reshape(*example.ids.shape, -1)
        return Embedded(x, example.valid, example.attendable, given=example.given)

    def _encode(self, embedded: Embedded, *, site: str, train: bool) -> Encoded:
        states, _ = _in_each_sentence(self.word_encoder, embedded.x, embedded.valid)
        # Random attention over sentences is drawn from here on, so `decode` needs no stream of its own.
        draws = self.make_rng("attention") if self.has_rng("attention") else None
        words = Encoded(states, embedded.attendable, None, (embedded.valid.any(-1), draws), embedded.given)
        return words if site == "word" else self._sentences(words, self._attend(words))

    def _sentences(self, words: Encoded, alpha: Float[Array, "M T"]) -> Encoded:
        """From the words under `alpha` to the next site."""
        valid, draws = words.carry
        contexts = jnp.einsum("mt,mth->mh", alpha, words.states)
        states, _ = self.sentence_encoder(contexts, valid)
        return Encoded(states, jnp.any(words.mask, -1), carry=draws)

    def _attend(self, encoded: Encoded) -> Float[Array, "*Q T"]:
        if encoded.mask.ndim == 2:
            return _in_each_sentence(self.word_attention, encoded.replace(carry=None))
        return attentions.drawn(self.sentence_attention, encoded, encoded.carry)

    def _decode(self, encoded: Encoded, alpha: Float[Array, "*Q T"]) -> Float[Array, "C"]:
        if encoded.mask.ndim == 2:
            encoded = self._sentences(encoded, alpha)
            alpha = self._attend(encoded)
        return self.decoder(alpha @ encoded.states)


def _in_each_sentence(module: nn.Module, *args: Any) -> Any:
    """The same module and weights on every row, random draws apart."""
    return nn.vmap(
        lambda module, *row: module(*row),
        variable_axes={"params": None},
        split_rngs={"params": False, "attention": True},
    )(module, *args)
