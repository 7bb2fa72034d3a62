"""SmoothGrad: the gradient, averaged over noisy copies of the input."""

import dataclasses

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Key

from attn_jax import outputs
from attn_jax import rng as streams
from attn_jax.analyses import explained
from attn_jax.analyses.saliency.mean_slope import mean_slope
from attn_jax.models.seam import AttentiveModel
from attn_jax.types import Example, Params


@dataclasses.dataclass(frozen=True)
class SmoothGrad:
    """Smilkov et al. (2017): noise of `noise` times the range of the input, `samples` draws.

    The L2 norm of the mean gradient, attention held constant. Only attendable tokens are disturbed.
    """

    samples: int = 50
    noise: float = 0.15

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
        embedded, here = model.embed(params, example), jnp.asarray(example.attendable)[:, None]
        x, own = embedded.x, streams.stream(rng, "smoothgrad")
        spread = jnp.where(here, x, -jnp.inf).max() - jnp.where(here, x, jnp.inf).min()
        scale = jnp.where(here, self.noise * jnp.where(jnp.isfinite(spread), spread, 0.0), 0.0)

        def noisy(k: Array) -> Float[Array, "T E"]:
            return x + scale * jax.random.normal(jax.random.fold_in(own, k), x.shape, x.dtype)

        output = explained.under(model, params, embedded, outputs.predicted(logits), alpha)
        slope = mean_slope(output, noisy, jnp.full(self.samples, 1 / self.samples, x.dtype))
        return jnp.where(here[:, 0], jnp.sqrt(jnp.square(slope).sum(-1)), 0.0)
