"""How much attention lies on the tokens that matter, and how little could without another output?"""

import dataclasses
from collections.abc import Mapping

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Key

from attn_jax import certify, outputs
from attn_jax import rng as streams
from attn_jax.analyses.observe import observe
from attn_jax.models.seam import AttentiveModel
from attn_jax.types import Evidence, Example, Params


@dataclasses.dataclass(frozen=True)
class GroupAttention:
    """The mass on `Example.rationale` beside its share of the tokens (Pruthi et al. 2020).

    Beside it the exact range of masses at <= epsilon output change, the states as they are; for more than
    two classes the range is an outer bound.
    """

    epsilon: float

    def __call__(
        self, model: AttentiveModel, params: Params, batch: Example, rng: Key[Array, ""]
    ) -> Mapping[str, Array]:
        """Columns [B], rows of padding included. `rng` is the seed's root stream."""
        evidence = observe(model, params, batch, streams.stream(rng, "attention"))
        return _examine(model.affine, self.epsilon, batch, evidence)


@jax.jit(static_argnums=(0, 1))
def _examine(affine: bool, epsilon: float, batch: Example, evidence: Evidence) -> Mapping[str, Array]:
    def one(example: Example, seen: Evidence) -> Mapping[str, Array]:
        mask = jnp.asarray(seen.encoded.mask)
        group = jnp.asarray(example.rationale) & mask
        columns = {
            "prediction": outputs.predicted(seen.logits),
            "mass": jnp.where(group, seen.alpha, 0.0).sum(),
            "share": group.sum() / jnp.maximum(mask.sum(), 1),
        }
        if affine:
            low, high = certify.group_mass(seen.alpha, seen.token_logits, mask, group, epsilon)
            columns |= {"least_mass": low, "most_mass": high}
        return columns

    return jax.vmap(one)(batch, evidence)
