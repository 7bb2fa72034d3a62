"""Encoders that keep the words in sight of their states (Tutek & Snajder 2020, section 3.1).

Each wraps any encoder and is one: `(x, valid) -> (states, summary)`, states 0 outside `valid`.
"""

import flax.linen as nn
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float

from attn_jax.errors import UserError
from attn_jax.models.encoders import States, read
from attn_jax.types import AnyArray

Inner = tuple[Float[Array, "T I"], Float[Array, "I"]]  # the wrapped encoder's states and summary


class Wrapper(nn.Module):
    """An encoder around another one, looking at each token alone."""

    inner: nn.Module

    @property
    def skips_gaps(self) -> bool:
        """As the inner encoder does."""
        return getattr(self.inner, "skips_gaps", False)


class Concat(Wrapper):
    """[rnn(e); e]: the word's vector beside its state (eq. 2)."""

    def __call__(self, x: Float[Array, "T E"], valid: Bool[AnyArray, "T"]) -> States:
        """States [T, H + E]; the summary gains the mean word."""
        return _beside(self.inner(x, valid), x, valid)

    def in_training(self, x: Float[Array, "T E"], valid: Bool[AnyArray, "T"]) -> States:
        """The same, the inner encoder reading in its way of training."""
        return _beside(read(self.inner, x, valid, train=True), x, valid)


class Residual(Wrapper):
    """e + rnn(e): the word's vector added to its state (eq. 3)."""

    def __call__(self, x: Float[Array, "T E"], valid: Bool[AnyArray, "T"]) -> States:
        """States [T, H], with H = E; the summary gains the mean word."""
        return _added(self.inner(x, valid), x, valid)

    def in_training(self, x: Float[Array, "T E"], valid: Bool[AnyArray, "T"]) -> States:
        """The same, the inner encoder reading in its way of training."""
        return _added(read(self.inner, x, valid, train=True), x, valid)


def _beside(inner: Inner, x: Float[Array, "T E"], valid: Bool[AnyArray, "T"]) -> States:
    (states, summary), words = inner, jnp.where(valid[:, None], x, 0.0)
    return jnp.concatenate([states, words], -1), jnp.concatenate([summary, _mean(words, valid)])


def _added(inner: Inner, x: Float[Array, "T E"], valid: Bool[AnyArray, "T"]) -> States:
    (states, summary), words = inner, jnp.where(valid[:, None], x, 0.0)
    if states.shape != x.shape:
        raise UserError(
            f"A residual connection adds words of {x.shape[1]} numbers to states of {states.shape[1]}: "
            "make the encoder as wide as the word vectors."
        )
    return states + words, summary + _mean(words, valid)


def _mean(words: Float[Array, "T E"], valid: Bool[AnyArray, "T"]) -> Float[Array, "E"]:
    return words.sum(0) / jnp.maximum(valid.sum(), 1)
