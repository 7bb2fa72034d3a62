"""Encoders: embedded tokens [T, E] to states [T, H], and one vector that stands for the whole.

Each is `(x, valid) -> (states, summary)`; states are 0 outside `valid`. The summary is what a pair
model conditions its attention on (Jain & Wallace 2019, section 2). An encoder that declares
`skips_gaps` reads a text with an invalid position inside as if that token had been deleted; one that has
`in_training` reads a batch in training that way.
"""

from collections.abc import Callable
from typing import ClassVar

import flax.linen as nn
import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float

from attn_jax.models.layers import LSTM, Linear
from attn_jax.models.recurrence import Carry, Reading
from attn_jax.types import AnyArray

States = tuple[Float[Array, "T H"], Float[Array, "H"]]
# Where each layer of a BiLSTM ended, forward and backward: what a second text can be read from.
Ends = tuple[tuple[Carry, Carry], ...]


def read(
    encoder: nn.Module, x: Float[Array, "T E"], valid: Bool[AnyArray, "T"], *, train: bool = False
) -> States:
    """`encoder(x, valid)`; to train, in the encoder's own way of reading a batch if it has one."""
    if train and hasattr(encoder, "in_training"):
        return encoder.in_training(x, valid)
    return encoder(x, valid)


class BiLSTM(nn.Module):
    """A bidirectional LSTM, `hidden` units a direction; summary: both final states, concatenated."""

    hidden: int = 128
    layers: int = 1

    skips_gaps: ClassVar[bool] = True

    def setup(self):
        """Two LSTMs a layer."""
        self.forward = [LSTM(self.hidden) for _ in range(self.layers)]
        self.backward = [LSTM(self.hidden, reverse=True) for _ in range(self.layers)]

    @property
    def reads_on(self) -> bool:
        """Whether `readings` are all that states of a shorter text depend on."""
        return self.layers == 1

    def __call__(self, x: Float[Array, "T E"], valid: Bool[AnyArray, "T"]) -> States:
        """States [T, 2 * hidden] of the last layer."""
        return _summarised(*self.resume(x, valid, None))

    def in_training(self, x: Float[Array, "T E"], valid: Bool[AnyArray, "T"]) -> States:
        """The same, for the gradient of a batch's mean."""
        return _summarised(*self.resume(x, valid, None, train=True))

    def resume(
        self, x: Float[Array, "T E"], valid: Bool[AnyArray, "T"], starts: Ends | None, *, train: bool = False
    ) -> tuple[Float[Array, "T H"], Ends]:
        """The same states, each layer and direction starting where another text's ended (or from 0)."""
        states, ends = x, ()
        for layer in range(self.layers):
            begin, final = starts[layer] if starts else (None, None)
            ahead, last = self.forward[layer].resume(states, valid, begin, train=train)
            back, first = self.backward[layer].resume(states, valid, final, train=train)
            states, ends = jnp.concatenate([ahead, back], -1), (*ends, (last, first))
        return states, ends

    def readings(self, x: Float[Array, "T E"], valid: Bool[AnyArray, "T"]) -> tuple[Reading, Reading]:
        """What the first layer does at each step, forward and backward."""
        return self.forward[0].reading(x, valid), self.backward[0].reading(x, valid)


def _summarised(states: Float[Array, "T H"], ends: Ends) -> States:
    return states, jnp.concatenate([hidden for _, hidden in ends[-1]])


class CNN(nn.Module):
    """Convolutions of several widths side by side, 'same' padding, ReLU; summary: max over tokens."""

    filters: int = 64
    widths: tuple[int, ...] = (1, 3, 5, 7)

    skips_gaps: ClassVar[bool] = False  # deleting a token makes its neighbours adjacent

    @nn.compact
    def __call__(self, x: Float[Array, "T E"], valid: Bool[AnyArray, "T"]) -> States:
        """States [T, filters * len(widths)]."""
        maps = [self._convolve(x, width) for width in self.widths]
        states = jnp.where(valid[:, None], nn.relu(jnp.concatenate(maps, -1)), 0.0)
        return states, states.max(0)  # ReLU is never below the 0 of padding

    def _convolve(self, x: Float[Array, "T E"], width: int) -> Float[Array, "T F"]:
        """A convolution as one matrix product over windows: its transpose is one too, on any device."""
        padded = jnp.pad(x, ((width // 2, width // 2), (0, 0)))
        windows = [padded[offset : offset + x.shape[0]] for offset in range(width)]
        return Linear(self.filters, name=f"width_{width}")(jnp.concatenate(windows, -1))


class Average(nn.Module):
    """A linear map and an activation at each token alone (J&W footnote 4); summary: mean over tokens."""

    features: int = 256
    activation: Callable[[Array], Array] = jax.nn.relu

    skips_gaps: ClassVar[bool] = True

    @nn.compact
    def __call__(self, x: Float[Array, "T E"], valid: Bool[AnyArray, "T"]) -> States:
        """States [T, features]."""
        states = jnp.where(valid[:, None], self.activation(Linear(self.features, name="project")(x)), 0.0)
        return states, states.sum(0) / jnp.maximum(valid.sum(), 1)
