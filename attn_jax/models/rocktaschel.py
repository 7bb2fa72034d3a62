"""Conditional encoding: the question is read from where the passage's reading ended.

Rocktaschel et al. (2016); Vashishth et al. (2019), section 3.2 and eq. 3.
"""

import jax.numpy as jnp

from attn_jax.models.pair import PairClassifier
from attn_jax.types import Embedded, Encoded


class RocktaschelClassifier(PairClassifier):
    """A pair model whose query has read both sequences; it attends over the passage.

    With `Additive` in the attention field this is eq. 3: alpha = softmax(w . tanh(W1 h_t + W2 q)), q the
    question's final state. Both encoders are `BiLSTM`s of one size: each layer and direction of the
    second starts at the cell and hidden state in which the first ended.

    Differs from the paper: Rocktaschel et al. read in one direction and hand on the cell alone; this is
    Vashishth's bidirectional encoder, which hands on its final state. Their output also sees the query;
    here it is affine in h_alpha alone, as in every pair model.
    """

    @property
    def reads_on(self) -> bool:
        """No: a deleted token changes the query too."""
        return False

    def _encode(self, embedded: Embedded, *, site: str, train: bool) -> Encoded:
        states, ends = self.encoder.resume(embedded.x, embedded.valid, None, train=train)
        _, read = self.question_encoder.resume(embedded.question, embedded.question_valid, ends, train=train)
        query = jnp.concatenate([hidden for _, hidden in read[-1]])
        return Encoded(states, embedded.attendable, query, self._penalty(embedded), embedded.given)
