"""Gradients at the input, attention held constant."""

import dataclasses
from typing import Literal

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from attn_jax import outputs
from attn_jax.analyses import explained
from attn_jax.analyses.case import Case
from attn_jax.analyses.entrance import entrance
from attn_jax.analyses.gradient import gradient


@dataclasses.dataclass(frozen=True)
class Sensitivity:
    """One number a token from dy/dx: its L1 or L2 norm (Li et al. 2016), or |x . dy/dx| (J&W Alg. 1)."""

    measure: Literal["l1", "l2", "times_input"]

    def __call__(self, case: Case) -> Float[Array, "*M T"]:
        """Never negative; 0 where attention may not look."""
        if self.measure == "times_input":
            return _times_input(case)
        found = gradient(case.model, case.params, case.example, case.alpha, case.logits)
        return found.l1 if self.measure == "l1" else found.l2


def _times_input(case: Case) -> Float[Array, "*M T"]:
    """|x . dy/dx| as |(g(x) - g(0)) . dy/dg|: the way back from the entrance to the words is spared."""
    embedded, said = case.model.embed(case.params, case.example), outputs.predicted(case.logits)
    door = entrance(case.model, case.params, embedded, case.rng)

    def output(inside: Float[Array, "*M T G"]) -> Float[Array, ""]:
        return explained.under_encoded(case.model, case.params, door.encode(inside), said, case.alpha)

    inside, origin = door.enter(embedded.x), door.enter(jnp.zeros_like(embedded.x))
    found = jnp.abs(((inside - origin) * jax.grad(output)(inside)).sum(-1))
    return jnp.where(case.example.attendable, found, 0.0)
