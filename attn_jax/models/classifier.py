"""Single-sequence classification: embedding, encoder, attention, affine decoder (J&W section 2)."""

from typing import ClassVar

import flax.linen as nn
from jax import Array
from jaxtyping import Float

from attn_jax.models.encoders import read
from attn_jax.models.layers import Linear
from attn_jax.models.recurrence import Reading
from attn_jax.models.seam import AttentiveModel
from attn_jax.types import Embedded, Encoded, Example, Params


class SequenceClassifier(AttentiveModel):
    """y = sigma(theta . h_alpha), h_alpha = sum_t alpha_t h_t; sigmoid for two classes, softmax above."""

    embedding: nn.Module
    encoder: nn.Module
    attention: nn.Module
    classes: int

    affine: ClassVar[bool] = True

    def setup(self):
        """The decoder's size follows from the task: one logit decides between two classes."""
        self.decoder = Linear(1 if self.classes == 2 else self.classes)

    @property
    def skips_gaps(self) -> bool:
        """As the encoder does."""
        return getattr(self.encoder, "skips_gaps", False)

    @property
    def reads_on(self) -> bool:
        """As the encoder does."""
        return getattr(self.encoder, "reads_on", False)

    @nn.nowrap
    def token_logits(self, params: Params, encoded: Encoded) -> Float[Array, "T C"]:
        """The decoder at each state: affine, so this is `decode` at the one-hot attentions."""
        return self._call("_project", params, encoded)

    def _embed(self, example: Example) -> Embedded:
        x = self.embedding(example.ids, example.valid)
        return Embedded(x, example.valid, example.attendable, given=example.given)

    def _encode(self, embedded: Embedded, *, site: str, train: bool) -> Encoded:
        states, _ = read(self.encoder, embedded.x, embedded.valid, train=train)
        return Encoded(states, embedded.attendable, given=embedded.given)

    def _readings(self, embedded: Embedded) -> tuple[Reading, Reading]:
        return self.encoder.readings(embedded.x, embedded.valid)

    def _attend(self, encoded: Encoded) -> Float[Array, "T"]:
        return self.attention(encoded)

    def _decode(self, encoded: Encoded, alpha: Float[Array, "T"]) -> Float[Array, "C"]:
        return self.decoder(alpha @ encoded.states)

    def _project(self, encoded: Encoded) -> Float[Array, "T C"]:
        return self.decoder(encoded.states)
