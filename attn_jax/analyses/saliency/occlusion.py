"""Occlusion: how the output changes when one token is taken away."""

import dataclasses
from typing import Literal

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Key

from attn_jax import divergences, outputs
from attn_jax.analyses.erasure import Erasure, erase
from attn_jax.analyses.leave_one_out import leave_one_out
from attn_jax.models.seam import AttentiveModel
from attn_jax.types import Example, Params


def deletion(
    model: AttentiveModel,
    params: Params,
    example: Example,
    alpha: Float[Array, "T"],
    logits: Float[Array, "C"],
    rng: Key[Array, ""],
) -> Float[Array, "T"]:
    """The token is deleted and the rest encoded anew: leave-one-out (Jain & Wallace 2019, Alg. 1)."""
    return leave_one_out(model, params, example, logits, rng)


@dataclasses.dataclass(frozen=True)
class Occlusion:
    """The token's word vector is replaced, by 0 or the unknown word's, and the text encoded anew.

    Unsigned: total variation distance. Signed: f_c(x) - f_c(x | x_i = 0), f_c the predicted class's
    probability (Bastings & Filippova 2020), positive where the token speaks for the prediction.
    """

    vector: Literal["zero", "unknown"] = "zero"
    signed: bool = False

    def __call__(
        self,
        model: AttentiveModel,
        params: Params,
        example: Example,
        alpha: Float[Array, "T"],
        logits: Float[Array, "C"],
        rng: Key[Array, ""],
    ) -> Float[Array, "T"]:
        """0 where attention may not look: SOS and EOS are never taken away."""
        encoded = model.encode(params, model.embed(params, example))
        how = Erasure(self.vector, "recomputed", "encoded")
        before, target = outputs.probabilities(logits), outputs.predicted(logits)

        def effect(removed: Array) -> Float[Array, ""]:
            after = outputs.probabilities(erase(model, params, example, encoded, alpha, removed, rng, how))
            return (before - after)[target] if self.signed else divergences.tvd(after, before)

        effects = jax.lax.map(effect, jnp.eye(alpha.shape[0], dtype=bool))
        return jnp.where(example.attendable, effects, 0.0)
