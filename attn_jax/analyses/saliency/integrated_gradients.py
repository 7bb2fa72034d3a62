"""Integrated gradients: each token's share of the way from a baseline text to the real one."""

import dataclasses
from typing import Literal, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float, Key

from attn_jax import outputs
from attn_jax.analyses import explained
from attn_jax.analyses.erasure import Erasure, replaced
from attn_jax.analyses.saliency.mean_slope import mean_slope
from attn_jax.models.seam import AttentiveModel
from attn_jax.types import Example, Params


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

    def __call__(
        self,
        model: AttentiveModel,
        params: Params,
        example: Example,
        alpha: Float[Array, "T"],
        logits: Float[Array, "C"],
        rng: Key[Array, ""],
    ) -> Float[Array, "T"]:
        """Signed: what speaks for the prediction is positive."""
        start, way, output = self._way(model, params, example, alpha, logits, rng)
        nodes, weights = np.polynomial.legendre.leggauss(self.steps)
        shares = jnp.asarray((nodes + 1) / 2, way.dtype)
        slope = mean_slope(output, lambda k: start + shares[k] * way, jnp.asarray(weights / 2, way.dtype))
        return jnp.where(example.attendable, (slope * way).sum(-1), 0.0)

    def completeness(
        self,
        model: AttentiveModel,
        params: Params,
        example: Example,
        alpha: Float[Array, "T"],
        logits: Float[Array, "C"],
        rng: Key[Array, ""],
    ) -> Completeness:
        """The axiom of completeness, checked: both numbers in units of probability."""
        start, way, output = self._way(model, params, example, alpha, logits, rng)
        change = output(start + way) - output(start)
        return Completeness(self(model, params, example, alpha, logits, rng).sum() - change, change)

    def _way(
        self,
        model: AttentiveModel,
        params: Params,
        example: Example,
        alpha: Float[Array, "T"],
        logits: Float[Array, "C"],
        rng: Key[Array, ""],
    ) -> tuple[Float[Array, "T E"], Float[Array, "T E"], explained.Output]:
        """Where it starts, how far it goes, and the output along it."""
        embedded, target = model.embed(params, example), outputs.predicted(logits)
        start = replaced(model, params, example, jnp.asarray(example.attendable), Erasure(self.baseline))
        if self.attention == "frozen":
            return start, embedded.x - start, explained.under(model, params, embedded, target, alpha)
        return start, embedded.x - start, explained.live(model, params, embedded, target, rng)


@dataclasses.dataclass(frozen=True)
class ThroughAttention:
    """What reaches the output by way of the attention weights: live minus frozen."""

    baseline: Literal["zero", "unknown"] = "zero"
    steps: int = 64

    def __call__(
        self,
        model: AttentiveModel,
        params: Params,
        example: Example,
        alpha: Float[Array, "T"],
        logits: Float[Array, "C"],
        rng: Key[Array, ""],
    ) -> Float[Array, "T"]:
        """Signed, as the two that it is the difference of."""
        live, frozen = (
            IntegratedGradients(kind, self.baseline, self.steps)(model, params, example, alpha, logits, rng)
            for kind in ("live", "frozen")
        )
        return live - frozen
