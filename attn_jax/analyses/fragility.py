"""Tutek & Snajder's tests of one model on one batch: altered attention and per-token probability."""

from collections.abc import Mapping

import jax
import numpy as np
from jax import Array
from jaxtyping import Key

from attn_jax import divergences, outputs
from attn_jax import rng as streams
from attn_jax.analyses.altered import altered
from attn_jax.analyses.entropy import relative_entropy
from attn_jax.analyses.observe import counterfactual, observe
from attn_jax.analyses.token_probability import mean_token_probability, token_probability
from attn_jax.models.seam import AttentiveModel
from attn_jax.types import Evidence, Example, Params


def fragility(
    model: AttentiveModel, params: Params, batch: Example, rng: Key[Array, ""]
) -> dict[str, np.ndarray]:
    """All columns of a batch [B, ...], rows of padding included. `rng` is the seed's root stream."""
    evidence = observe(model, params, batch, streams.stream(rng, "attention"))
    return jax.device_get(dict(_examine(model, params, batch, evidence, rng)))


@jax.jit(static_argnums=0)
def _examine(
    model: AttentiveModel, params: Params, batch: Example, evidence: Evidence, rng: Key[Array, ""]
) -> Mapping[str, Array]:
    def one(example: Example, seen: Evidence) -> Mapping[str, Array]:
        mask, said = seen.encoded.mask, outputs.probabilities(seen.logits)
        own = streams.instance(streams.stream(rng, "altered"), example.index)
        other = altered(counterfactual(model, params, seen), seen.alpha, mask, own)
        single = token_probability(seen.token_logits, seen.logits)
        columns = {
            "alpha": seen.alpha,
            "token_logits": seen.token_logits,
            "probabilities": said,
            "prediction": outputs.predicted(seen.logits),
            "length": mask.sum(),
            "max_attention": seen.alpha.max(),
            "attention_entropy": relative_entropy(seen.alpha, mask),
            "token_probability": mean_token_probability(single, mask),
        }
        for name, logits in other._asdict().items():
            columns[f"prediction_{name}"] = outputs.predicted(logits)
            columns[f"tvd_{name}"] = divergences.tvd(outputs.probabilities(logits), said)
        return columns

    return jax.vmap(one)(batch, evidence)
