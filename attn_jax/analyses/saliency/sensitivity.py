"""Gradients at the input, attention held constant."""

import dataclasses
from typing import Literal

from jax import Array
from jaxtyping import Float, Key

from attn_jax.analyses.gradient import gradient
from attn_jax.models.seam import AttentiveModel
from attn_jax.types import Example, Params


@dataclasses.dataclass(frozen=True)
class Sensitivity:
    """One number a token from dy/dx: its L1 or L2 norm (Li et al. 2016), or |x . dy/dx| (J&W Alg. 1)."""

    measure: Literal["l1", "l2", "times_input"]

    def __call__(
        self,
        model: AttentiveModel,
        params: Params,
        example: Example,
        alpha: Float[Array, "T"],
        logits: Float[Array, "C"],
        rng: Key[Array, ""],
    ) -> Float[Array, "T"]:
        """Never negative; 0 where attention may not look."""
        return getattr(gradient(model, params, example, alpha, logits), self.measure)
