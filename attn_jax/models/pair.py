"""Two sequences: attention over the first, conditioned on the second (J&W section 2, Vashishth 3.2).

Passage and question, or premise and hypothesis; separate encoders, softmax answers.
"""

from typing import ClassVar

import flax.linen as nn
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from attn_jax.models.encoders import read
from attn_jax.models.layers import Linear
from attn_jax.models.recurrence import Reading
from attn_jax.models.seam import AttentiveModel
from attn_jax.types import Embedded, Encoded, Example, Params

# Added to the logits of answers that cannot be given: far enough for a probability of 0 in float32,
# near enough to cost the logits beside it no precision.
_IMPOSSIBLE = -100.0


class PairClassifier(AttentiveModel):
    """Affine in h_alpha alone, as the paper states it, so certificates hold as for one sequence.

    One embedding for both sequences, unless the question has its own.
    """

    embedding: nn.Module
    encoder: nn.Module
    question_encoder: nn.Module
    attention: nn.Module
    classes: int
    question_embedding: nn.Module | None = None

    affine: ClassVar[bool] = True

    def setup(self):
        """One logit per answer."""
        self.decoder = Linear(self.classes)

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
        """The decoder at each state where it is affine, otherwise `decode` at each one-hot attention."""
        if self.affine:
            return self._call("_project", params, encoded)
        return super().token_logits(params, encoded)

    def _embed(self, example: Example) -> Embedded:
        look_up = self.embedding if self.question_embedding is None else self.question_embedding
        return Embedded(
            self.embedding(example.ids, example.valid),
            example.valid,
            example.attendable,
            look_up(example.question_ids, example.question_valid),  # pyright: ignore
            example.question_valid,
            example.choices,
            example.given,
        )

    def _encode(self, embedded: Embedded, *, site: str, train: bool) -> Encoded:
        states, _ = read(self.encoder, embedded.x, embedded.valid, train=train)
        _, query = read(self.question_encoder, embedded.question, embedded.question_valid, train=train)  # pyright: ignore
        return Encoded(states, embedded.attendable, query, self._penalty(embedded), embedded.given)

    def _readings(self, embedded: Embedded) -> tuple[Reading, Reading]:
        return self.encoder.readings(embedded.x, embedded.valid)

    def _attend(self, encoded: Encoded) -> Float[Array, "T"]:
        return self.attention(encoded)

    def _decode(self, encoded: Encoded, alpha: Float[Array, "T"]) -> Float[Array, "C"]:
        return self.decoder(alpha @ encoded.states) + encoded.carry

    def _project(self, encoded: Encoded) -> Float[Array, "T C"]:
        return self.decoder(encoded.states) + encoded.carry[None]

    def _penalty(self, embedded: Embedded) -> Float[Array, "C"]:
        """Answers are limited to the entities of the passage (CNN), where the example names them."""
        if embedded.choices is None:
            return jnp.zeros(self.classes)
        return jnp.where(embedded.choices, 0.0, _IMPOSSIBLE)


class ReleasedPairClassifier(PairClassifier):
    """The decoder of J&W's released code, Linear(tanh(W_p h_alpha + W_q Q)): it sees the question."""

    affine: ClassVar[bool] = False

    @nn.compact
    def _decode(self, encoded: Encoded, alpha: Float[Array, "T"]) -> Float[Array, "C"]:
        width = encoded.states.shape[-1] // 2
        context = Linear(width, name="from_context")(alpha @ encoded.states)
        asked = Linear(width, use_bias=False, name="from_query")(jnp.asarray(encoded.query))
        return self.decoder(jnp.tanh(context + asked)) + encoded.carry
