"""States kept from all pointing one way (Mohankumar et al. 2020, section 3: diversity-driven training)."""

import dataclasses

import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float

from attn_jax.models.seam import AttentiveModel
from attn_jax.training.objective import Pass
from attn_jax.types import AnyArray, Example, Params


@dataclasses.dataclass(frozen=True)
class Diversity:
    """lambda times the conicity of the states; `strength` is lambda (0.5 in their example on IMDB)."""

    strength: float | Float[Array, ""] = 0.5

    def __call__(
        self, model: AttentiveModel, params: Params, example: Example, seen: Pass, rng: Array
    ) -> Float[Array, ""]:
        """The penalty of one example."""
        return self.strength * conicity(seen.encoded.states, seen.encoded.mask)


def conicity(states: Float[Array, "T H"], mask: Bool[AnyArray, "T"]) -> Float[Array, ""]:
    """Mean |cosine| of the real tokens' states with their mean: 1 where all lie on one line."""
    count = jnp.maximum(mask.sum(), 1)
    mean = jnp.where(mask[:, None], states, 0.0).sum(0) / count
    # A floor under the square, not the root: the slope stays finite at a state of zeros.
    lengths = jnp.sqrt(jnp.maximum(jnp.square(states).sum(-1) * jnp.square(mean).sum(), 1e-12))
    return jnp.where(mask, jnp.abs(states @ mean) / lengths, 0.0).sum() / count
