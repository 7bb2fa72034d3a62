"""SmoothGrad: the gradient, averaged over noisy copies of the input."""

import dataclasses

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from attn_jax import outputs
from attn_jax import rng as streams
from attn_jax.analyses import explained
from attn_jax.analyses.case import Case
from attn_jax.analyses.entrance import entrance
from attn_jax.analyses.saliency.mean_slope import mean_slope


@dataclasses.dataclass(frozen=True)
class SmoothGrad:
    """Smilkov et al. (2017): noise of `noise` times the range of the input, `samples` draws.

    The L2 norm of the mean gradient, attention held constant. Only attendable tokens are disturbed.
    """

    samples: int = 50
    noise: float = 0.15

    def __call__(self, case: Case) -> Float[Array, "*M T"]:
        """Never negative; 0 where attention may not look."""
        embedded = case.model.embed(case.params, case.example)
        here = jnp.asarray(case.example.attendable)[..., None]
        x, own = embedded.x, streams.stream(case.rng, "smoothgrad")
        spread = jnp.where(here, x, -jnp.inf).max() - jnp.where(here, x, jnp.inf).min()
        scale = jnp.where(here, self.noise * jnp.where(jnp.isfinite(spread), spread, 0.0), 0.0)

        def noisy(k: Array) -> Float[Array, "*M T E"]:
            return x + scale * jax.random.normal(jax.random.fold_in(own, k), x.shape, x.dtype)

        door, said = entrance(case.model, case.params, embedded, case.rng), outputs.predicted(case.logits)

        def output(inside: Float[Array, "*M T G"]) -> Float[Array, ""]:
            encoded = door.encode(inside)
            return explained.under_encoded(case.model, case.params, encoded, said, case.alpha)

        equal = jnp.full(self.samples, 1 / self.samples, x.dtype)
        inside = mean_slope(output, lambda k: door.enter(noisy(k)), equal)
        (slope,) = jax.vjp(door.enter, x)[1](inside)  # affine: the same back from every point
        return jnp.where(here[..., 0], jnp.sqrt(jnp.square(slope).sum(-1)), 0.0)
