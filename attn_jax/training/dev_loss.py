"""The whole objective on dev, for choosing the best epoch where decisions are not all that counts."""

import dataclasses
from collections.abc import Sequence

import jax
import numpy as np
from jax import Array
from jaxtyping import Float, Key

from attn_jax.data.batching import Bucket, at_once, batches
from attn_jax.models.seam import AttentiveModel
from attn_jax.training.objective import Objective
from attn_jax.types import Example, Params


@dataclasses.dataclass(frozen=True)
class DevLoss:
    """A `Judge`: of two epochs that decide alike, the one that fulfils the other terms better."""

    objective: Objective

    def __call__(
        self,
        model: AttentiveModel,
        params: Params,
        buckets: Sequence[Bucket],
        batch_size: int,
        rngs: Key[Array, "S"],
    ) -> tuple[str, np.ndarray]:
        """Minus the mean loss of a dev instance, for each seed."""
        total, count = np.zeros(len(rngs)), 0.0
        for bucket in buckets:
            for batch in batches(bucket, min(batch_size, at_once(bucket))):
                size = float(batch.weight.sum())
                total += size * np.asarray(_losses(params, batch, rngs, objective=self.objective))
                count += size
        return "minus_loss", (-total / count).astype(np.float32)


@jax.jit(static_argnames=("objective",))
def _losses(
    params: Params, batch: Example, rngs: Key[Array, "S"], *, objective: Objective
) -> Float[Array, "S"]:
    return jax.vmap(objective, (0, None, 0))(params, batch, rngs)
