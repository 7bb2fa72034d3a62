"""The rule that all layers share: an output's relevance is split in proportion to what made it."""

import dataclasses

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from attn_jax.types import AnyArray


@dataclasses.dataclass(frozen=True)
class Rule:
    """Arras et al. (2017): the epsilon rule, with a share of the bias.

    R_i = sum_j [w_ij z_i + delta (b_j + eps s_j) / N] / (z_j + eps s_j) R_j, s_j the sign of z_j, N the
    number of inputs of the layer. delta = 0 as the authors advise; with 1 no relevance is lost.
    """

    epsilon: float = 0.001
    bias_factor: float = 0.0

    def affine(
        self,
        kernel: Float[AnyArray, "I O"],
        bias: Float[AnyArray, "O"],
        inputs: Float[Array, "*B I"],
        made: Float[Array, "*B O"],
        relevance: Float[Array, "*B O"],
        count: int,
    ) -> Float[Array, "*B I"]:
        """Through `made = inputs @ kernel + bias + ...`, of whose `count` inputs these are some or all."""
        ratio = relevance / self._steady(made)
        spread = ((bias + self._epsilon(made)) * ratio).sum(-1, keepdims=True) / count
        return inputs * (ratio @ kernel.T) + self.bias_factor * spread

    def addends(
        self,
        parts: Float[Array, "*B I"],
        made: Float[Array, "I"],
        relevance: Float[Array, "I"],
        count: int | Array,
    ) -> Float[Array, "*B I"]:
        """Through a sum of vectors, `made = sum of parts`, `count` numbers in all: kernel 1, bias 0."""
        ratio = relevance / self._steady(made)
        spread = (self._epsilon(made) * ratio).sum() / count
        return parts * jnp.broadcast_to(ratio, parts.shape) + self.bias_factor * spread

    def _epsilon(self, made: Array) -> Array:
        return jnp.where(made >= 0, self.epsilon, -self.epsilon)

    def _steady(self, made: Array) -> Array:
        return made + self._epsilon(made)
