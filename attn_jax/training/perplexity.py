"""How well a model that writes knows the dev texts, for choosing its best epoch."""

from collections.abc import Sequence

import jax
import numpy as np
from jax import Array
from jaxtyping import Float, Key

from attn_jax import rng as streams
from attn_jax.data.batching import Bucket, batches
from attn_jax.models.seam import AttentiveModel
from attn_jax.training.objective import WordLikelihood
from attn_jax.types import Example, Params


def log_likelihood(
    model: AttentiveModel, params: Params, buckets: Sequence[Bucket], batch_size: int, rngs: Key[Array, "S"]
) -> tuple[str, np.ndarray]:
    """The mean log-probability of a word given those before it, for each seed; a `Judge`."""
    total, words = np.zeros(len(rngs)), 0.0
    for bucket in buckets:
        for batch in batches(bucket, batch_size):
            count = np.asarray(batch.target_valid)[:, 1:].sum(1) * batch.weight
            total += np.asarray(_losses(params, batch, rngs, model=model)) @ count
            words += count.sum()
    return "log_likelihood", (-total / words).astype(np.float32)


@jax.jit(static_argnames=("model",))
def _losses(
    params: Params, batch: Example, rngs: Key[Array, "S"], *, model: AttentiveModel
) -> Float[Array, "S B"]:
    """Mean loss a word of each text."""

    def one(params: Params, rng: Array, example: Example) -> Array:
        own = streams.instance(rng, example.index)
        seen = model.traverse(params, example, rngs={"attention": own})
        return WordLikelihood()(model, params, example, seen, own)

    return jax.vmap(jax.vmap(one, (None, None, 0)), (0, 0, None))(params, rngs, batch)
