"""Occlusion: how the output changes when one token is taken away."""

import dataclasses
from typing import Literal

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from attn_jax import divergences, outputs
from attn_jax.analyses import explained
from attn_jax.analyses.case import Case
from attn_jax.analyses.entrance import entrance
from attn_jax.analyses.erasure import Erasure, replaced
from attn_jax.analyses.leave_one_out import leave_one_out


def deletion(case: Case) -> Float[Array, "*M T"]:
    """The token is deleted and the rest encoded anew: leave-one-out (Jain & Wallace 2019, Alg. 1)."""
    return leave_one_out(case.model, case.params, case.example, case.logits, case.rng)


@dataclasses.dataclass(frozen=True)
class Occlusion:
    """The token's word vector is replaced, by 0 or the unknown word's, and the text encoded anew.

    Unsigned: total variation distance. Signed: f_c(x) - f_c(x | x_i = 0), f_c the predicted class's
    probability (Bastings & Filippova 2020), positive where the token speaks for the prediction.
    """

    vector: Literal["zero", "unknown"] = "zero"
    signed: bool = False

    def __call__(self, case: Case) -> Float[Array, "*M T"]:
        """0 where attention may not look: SOS and EOS are never taken away."""
        embedded = case.model.embed(case.params, case.example)
        door = entrance(case.model, case.params, embedded, case.rng)
        without = replaced(case, jnp.ones(case.example.ids.shape, bool), Erasure(self.vector))
        whole, other = door.enter(embedded.x), door.enter(without)
        before, target = outputs.probabilities(case.logits), outputs.predicted(case.logits)

        def effect(t: Array) -> Float[Array, ""]:
            here = (jnp.arange(case.example.ids.size) == t).reshape(case.example.ids.shape)
            encoded = door.encode(jnp.where(here[..., None], other, whole))
            after = explained.of_encoded(case.model, case.params, encoded, case.rng)
            return (before - after)[target] if self.signed else divergences.tvd(after, before)

        effects = jax.lax.map(effect, jnp.arange(case.example.ids.size))
        return jnp.where(case.example.attendable, effects.reshape(case.example.ids.shape), 0.0)
