"""Bring your own model: fill in the four parts of the seam, or change one of them.

python -m examples.custom_model
"""

import pathlib
from typing import ClassVar

import flax.linen as nn
import jax.numpy as jnp

from attn_jax.models.classifier import SequenceClassifier
from attn_jax.models.layers import Linear
from attn_jax.models.seam import AttentiveModel
from attn_jax.types import Encoded, Params


class DeepDecoder(SequenceClassifier):
    """Two layers above the context: no longer affine in the attention, and it says so."""

    affine: ClassVar[bool] = False

    def setup(self):
        """A hidden layer below the decoder."""
        super().setup()
        self.hidden = Linear(16)

    @nn.nowrap
    def token_logits(self, params: Params, encoded: Encoded):
        """`decode` at each one-hot attention: the general way, as the parent's needs an affine decoder."""
        return AttentiveModel.token_logits(self, params, encoded)

    def _decode(self, encoded: Encoded, alpha):
        return self.decoder(jnp.tanh(self.hidden(alpha @ encoded.states)))


def main(out: pathlib.Path = pathlib.Path("runs/deep"), seed: int = 0) -> None:
    """Train it on `reviews` and put its attention on trial: certificates become bounds, labelled as such."""
    from attn_jax.models.attentions import Additive
    from attn_jax.models.encoders import BiLSTM
    from experiments import quickstart

    quickstart.put_on_trial(BiLSTM(), Additive(), "additive", out, seed, family=DeepDecoder)


if __name__ == "__main__":
    from experiments import command

    command.run(main, prog="examples.custom_model")
