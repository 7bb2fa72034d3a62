"""Building blocks with PyTorch's default initialisation, which all the papers' code relies on."""

import flax.linen as nn
import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int, Key

from attn_jax.models.batched_recurrence import carried_in_batches
from attn_jax.models.recurrence import Carry, Reading, carried, read
from attn_jax.types import AnyArray, Params


def uniform_within(bound: float) -> jax.nn.initializers.Initializer:
    """U(-bound, bound)."""

    def init(rng, shape, dtype=jnp.float32, out_sharding=None):
        return jax.random.uniform(rng, shape, dtype, -bound, bound, out_sharding=out_sharding)

    return init  # pyright: ignore[reportReturnType]


class Linear(nn.Module):
    """An affine map, weights and bias drawn from U(±1/sqrt(fan_in))."""

    features: int
    use_bias: bool = True

    @nn.compact
    def __call__(self, x: Float[Array, "*B I"]) -> Float[Array, "*B O"]:
        """Applies it to the last axis."""
        init = uniform_within(x.shape[-1] ** -0.5)
        return nn.Dense(self.features, self.use_bias, kernel_init=init, bias_init=init, name="dense")(x)


class TokenEmbedding(nn.Module):
    """Word vectors, N(0, 1) until published ones are put in their place (J&W appendix A)."""

    words: int
    features: int

    @nn.compact
    def __call__(self, ids: Int[AnyArray, "T"], valid: Bool[AnyArray, "T"]) -> Float[Array, "T E"]:
        """Looks up each id; exactly 0 on padding, so that no window sees it."""
        table = nn.Embed(self.words, self.features, embedding_init=self._start(), name="table")
        return jnp.where(valid[:, None], table(jnp.asarray(ids)), 0.0)

    def _start(self) -> nn.initializers.Initializer:
        return nn.initializers.normal(1.0)


def word_vectors(params: Params) -> tuple[str, ...]:
    """Which of a model's parts are word vectors: one for all that it reads, or another for questions."""
    return tuple(name for name in ("embedding", "question_embedding") if name in params)


class SubwordEmbedding(TokenEmbedding):
    """Vectors of about unit length, N(0, 1/E), where none are published (Vaswani et al. 2017)."""

    def _start(self) -> nn.initializers.Initializer:
        return nn.initializers.normal(self.features**-0.5)


class LSTM(nn.Module):
    """One direction of one LSTM layer, its input projection hoisted out of the recurrence.

    Gates in PyTorch's order i, f, g, o; all parameters U(±1/sqrt(H)).
    """

    features: int
    reverse: bool = False

    def setup(self):
        """The input projection with the bias of all gates, and the recurrent weights without."""
        init = uniform_within(self.features**-0.5)
        self.input = nn.Dense(4 * self.features, kernel_init=init, bias_init=init)
        self.recurrent = self.param("recurrent", init, (self.features, 4 * self.features))

    def __call__(
        self, x: Float[Array, "T I"], valid: Bool[AnyArray, "T"]
    ) -> tuple[Float[Array, "T H"], Float[Array, "H"]]:
        """States, 0 outside `valid`, and the last one: of the final token, or the first if reversed."""
        states, (_, last) = self.resume(x, valid, None)
        return states, last

    def resume(
        self, x: Float[Array, "T I"], valid: Bool[AnyArray, "T"], start: Carry | None, *, train: bool = False
    ) -> tuple[Float[Array, "T H"], Carry]:
        """States and the carry at the end, from the carry at which another text ended (or from 0).

        To `train` is to differentiate a batch as grad(vmap): the same numbers, sooner.
        """
        gates = self.input(x)
        zero = jnp.zeros(self.features, gates.dtype)
        read_on = carried_in_batches if train else carried
        end, states = read_on(
            self.recurrent, gates, jnp.asarray(valid), start or (zero, zero), reverse=self.reverse
        )
        return states, end

    def reading(self, x: Float[Array, "T I"], valid: Bool[AnyArray, "T"]) -> Reading:
        """Every step of a text, for texts that differ from it in one token."""
        return read(self.recurrent, self.input(x), jnp.asarray(valid), reverse=self.reverse)


def dropped(rng: Key[Array, ""] | None, x: Float[Array, "*B H"], share: float) -> Float[Array, "*B H"]:
    """Dropout: a `share` of 0, the others larger; nothing happens without a stream, outside training."""
    if rng is None or share == 0.0:
        return x
    return jnp.where(jax.random.bernoulli(rng, 1.0 - share, x.shape), x / (1.0 - share), 0.0)
