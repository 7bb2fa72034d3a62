"""Gradients at the input, attention held constant."""

import dataclasses
from typing import Literal

from jax import Array
from jaxtyping import Float

from attn_jax.analyses.case import Case
from attn_jax.analyses.gradient import gradient, times_input


@dataclasses.dataclass(frozen=True)
class Sensitivity:
    """One number a token from dy/dx: its L1 or L2 norm (Li et al. 2016), or |x . dy/dx| (J&W Alg. 1)."""

    measure: Literal["l1", "l2", "times_input"]

    def __call__(self, case: Case) -> Float[Array, "*M T"]:
        """Never negative; 0 where attention may not look."""
        if self.measure == "times_input":
            return times_input(case.model, case.params, case.example, case.rng)
        found = gradient(case.model, case.params, case.example, case.alpha, case.logits)
        return found.l1 if self.measure == "l1" else found.l2
