"""Bring your own attention: one small module, and every analysis works on it unchanged.

python -m examples.custom_attention
"""

import pathlib

import flax.linen as nn
import jax.numpy as jnp

from attn_jax.models.layers import Linear
from attn_jax.types import Encoded


class Sparsemax(nn.Module):
    """Euclidean projection of the scores onto the simplex (Martins & Astudillo 2016, Alg. 1)."""

    @nn.compact
    def __call__(self, encoded: Encoded):
        """Additive scores; weights that are exactly 0 for most tokens."""
        hidden = jnp.tanh(Linear(encoded.states.shape[-1] // 2, name="states")(encoded.states))
        scores = jnp.where(encoded.mask, Linear(1, name="score")(hidden)[:, 0], -1e9)
        ranked = jnp.sort(scores)[::-1]
        room = 1 + jnp.arange(1, len(scores) + 1) * ranked > jnp.cumsum(ranked)
        threshold = (jnp.where(room, ranked, 0.0).sum() - 1) / room.sum()
        return jnp.where(encoded.mask, jnp.maximum(scores - threshold, 0.0), 0.0)


def main(out: pathlib.Path = pathlib.Path("runs/sparsemax"), seed: int = 0) -> None:
    """Train a BiLSTM with sparsemax attention on `reviews` and put that attention on trial."""
    from attn_jax.models.encoders import BiLSTM
    from experiments import quickstart

    quickstart.put_on_trial(BiLSTM(), Sparsemax(), "sparsemax", out, seed)


if __name__ == "__main__":
    from experiments import command

    command.run(main, prog="examples.custom_attention")
