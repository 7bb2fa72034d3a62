"""What a model decides, and nothing else."""

from collections.abc import Mapping

import jax
from jax import Array

from attn_jax import outputs
from attn_jax import rng as streams
from attn_jax.models.seam import AttentiveModel
from attn_jax.training.step import predict
from attn_jax.types import Example, Params


def decision(model: AttentiveModel, params: Params, batch: Example, rng: Array) -> Mapping[str, Array]:
    """Predicted classes [B]; `rng` is the seed's root stream."""
    alone = jax.tree.map(lambda a: a[None], params)
    logits = predict(alone, batch, streams.stream(rng, "attention")[None], model=model)
    return {"prediction": outputs.predicted(logits[0])}
