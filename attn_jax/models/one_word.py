"""A translation as seen at one of the words it writes: one attention [T], one output [V]."""

from typing import Any

import flax.linen as nn
import jax
from jax import Array
from jaxtyping import Float

from attn_jax.models.seam import AttentiveModel
from attn_jax.models.seq2seq import Seq2Seq
from attn_jax.types import Embedded, Encoded, Evidence, Example, Params


class OneWord(AttentiveModel):
    """`inner` at its `word`-th position, so that whatever explains one decision explains this one.

    The history is the model's own, as in `inner.decode`. A view has no parameters: it takes `inner`'s.
    """

    inner: Seq2Seq
    word: Any  # may be traced: make the view inside the program, not outside it

    @property
    def skips_gaps(self) -> bool:
        """As the model does."""
        return self.inner.skips_gaps

    @nn.nowrap
    def of(self, seen: Evidence) -> Evidence:
        """What was seen of all words, at this one."""
        return Evidence(
            self._row(seen.encoded),
            seen.alpha[self.word],
            seen.logits[self.word],
            seen.token_logits[self.word],
        )

    @nn.nowrap
    def embed(self, params: Params, example: Example) -> Embedded:
        """The source, and the words before each word."""
        return self.inner.embed(params, example)

    @nn.nowrap
    def encode(self, params: Params, embedded: Embedded, **options: Any) -> Encoded:
        """States [T, H], mask [T] and query [H] of this word."""
        return self._row(self.inner.encode(params, embedded, **options))

    @nn.nowrap
    def attend(self, params: Params, encoded: Encoded, **options: Any) -> Float[Array, "T"]:
        """This word's attention."""
        return self.inner.attend(params, _rows(encoded), **options)[0]

    @nn.nowrap
    def decode(self, params: Params, encoded: Encoded, alpha: Float[Array, "T"]) -> Float[Array, "V"]:
        """This word's logits."""
        return self.inner.decode(params, _rows(encoded), alpha[None])[0]

    @nn.nowrap
    def _row(self, encoded: Encoded) -> Encoded:
        mask, query, carry = jax.tree.map(
            lambda a: a[self.word], (encoded.mask, encoded.query, encoded.carry)
        )
        return encoded.replace(mask=mask, query=query, carry=carry)


def _rows(encoded: Encoded) -> Encoded:
    """The same as a translation of one word."""
    mask, query, carry = jax.tree.map(lambda a: a[None], (encoded.mask, encoded.query, encoded.carry))
    return encoded.replace(mask=mask, query=query, carry=carry)
