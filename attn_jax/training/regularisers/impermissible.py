"""Attention trained away from tokens that matter (Pruthi et al. 2020): a model made to deceive its reader."""

import dataclasses

import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float

from attn_jax.errors import UserError
from attn_jax.models.seam import AttentiveModel
from attn_jax.training.objective import Pass
from attn_jax.types import AnyArray, Example, Params

_LEAST = 1e-9  # keeps the logarithm and its slope finite where all weight lies on the group


@dataclasses.dataclass(frozen=True)
class Impermissible:
    """-lambda log(1 - mass), mass the attention on the tokens that `Example.rationale` marks."""

    strength: float | Float[Array, ""]

    def __call__(
        self, model: AttentiveModel, params: Params, example: Example, seen: Pass, rng: Array
    ) -> Float[Array, ""]:
        """The penalty of one example; nothing where no other token can be attended to."""
        if example.rationale is None:
            raise UserError(
                "This training hides the attention on known tokens: use a corpus whose instances have "
                "their rationale."
            )
        return self.strength * exposure(seen.alpha, seen.encoded.mask, example.rationale)


def exposure(
    alpha: Float[Array, "T"], mask: Bool[AnyArray, "T"], group: Bool[AnyArray, "T"]
) -> Float[Array, ""]:
    """-log of the attention that lies outside the group: 0 where it is all hidden."""
    outside = jnp.asarray(mask) & ~jnp.asarray(group)
    rest = jnp.where(outside, alpha, 0.0).sum()
    return jnp.where(outside.any(), -jnp.log(jnp.maximum(rest, _LEAST)), 0.0)
