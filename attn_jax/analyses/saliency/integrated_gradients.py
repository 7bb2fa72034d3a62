"""Integrated gradients: each token's share of the way from a baseline text to the real one."""

import dataclasses
from collections.abc import Callable
from typing import Literal, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from attn_jax import outputs
from attn_jax.analyses import explained
from attn_jax.analyses.case import Case
from attn_jax.analyses.entrance import entrance
from attn_jax.analyses.erasure import Erasure, replaced
from attn_jax.analyses.saliency.mean_slope import mean_slope


class Completeness(NamedTuple):
    """How far the attributions are from adding up: `residual` is their sum minus `change`."""

    residual: Float[Array, ""]
    change: Float[Array, ""]  # output at the text minus output at the baseline


@dataclasses.dataclass(frozen=True)
class IntegratedGradients:
    """(x - x') . integral of dy/dx from x' to x (Sundararajan et al. 2017), by Gauss-Legendre.

    y is the predicted class's probability; the baseline x' replaces the attendable tokens' vectors only,
    as SOS and EOS are never removed. Frozen: the attention of the real text all along the way.
    """

    attention: Literal["frozen", "live"] = "frozen"
    baseline: Literal["zero", "unknown"] = "zero"
    steps: int = 64

    def __call__(self, case: Case) -> Float[Array, "*M T"]:
        """Signed: what speaks for the prediction is positive."""
        start, way, output = self._way(case)
        nodes, weights = np.polynomial.legendre.leggauss(self.steps)
        shares = jnp.asarray((nodes + 1) / 2, way.dtype)
        slope = mean_slope(output, lambda k: start + shares[k] * way, jnp.asarray(weights / 2, way.dtype))
        return jnp.where(case.example.attendable, (slope * way).sum(-1), 0.0)

    def completeness(self, case: Case) -> Completeness:
        """The axiom of completeness, checked: both numbers in units of probability."""
        change = self.change(case)
        return Completeness(self(case).sum() - change, change)

    def change(self, case: Case) -> Float[Array, ""]:
        """What the attributions should add up to."""
        start, way, output = self._way(case)
        return output(start + way) - output(start)

    def _way(
        self, case: Case
    ) -> tuple[Float[Array, "*M T G"], Float[Array, "*M T G"], Callable[[Array], Float[Array, ""]]]:
        """Where it starts, how far it goes, and the output along it, at the entrance of the encoder."""
        embedded, target = case.model.embed(case.params, case.example), outputs.predicted(case.logits)
        start = replaced(case, jnp.asarray(case.example.attendable), Erasure(self.baseline))
        door = entrance(case.model, case.params, embedded, case.rng)

        def output(inside: Float[Array, "*M T G"]) -> Float[Array, ""]:
            encoded = door.encode(inside)
            if self.attention == "live":
                return explained.of_encoded(case.model, case.params, encoded, case.rng)[target]
            return explained.under_encoded(case.model, case.params, encoded, target, case.alpha)

        first = door.enter(start)
        return first, door.enter(embedded.x) - first, output


@dataclasses.dataclass(frozen=True)
class ThroughAttention:
    """What reaches the output by way of the attention weights: live minus frozen."""

    baseline: Literal["zero", "unknown"] = "zero"
    steps: int = 64

    def __call__(self, case: Case) -> Float[Array, "*M T"]:
        """Signed, as the two that it is the difference of."""
        live, frozen = (
            IntegratedGradients(kind, self.baseline, self.steps)(case) for kind in ("live", "frozen")
        )
        return live - frozen
