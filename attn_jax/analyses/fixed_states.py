"""All that can be asked of attention with the states held fixed, on one batch of an affine model."""

from collections.abc import Mapping

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Key

from attn_jax import certify
from attn_jax import rng as streams
from attn_jax.analyses.fragility import fragility
from attn_jax.analyses.observe import observe
from attn_jax.analyses.plausibility import average_precision
from attn_jax.analyses.trial import Trial, certificates, counterfactuals
from attn_jax.analyses.weight_erasure import weight_erasure
from attn_jax.models.seam import AttentiveModel
from attn_jax.types import Evidence, Example, Params


def fixed_states(
    model: AttentiveModel, params: Params, batch: Example, rng: Key[Array, ""], settings: Trial
) -> dict[str, np.ndarray]:
    """Altered, permuted, erased and adversarial attention, and every certificate: columns [B, ...]."""
    evidence = observe(model, params, batch, streams.stream(rng, "attention"))
    found = {**fragility(model, params, batch, rng), **weight_erasure(model, params, batch, rng)}
    found |= counterfactuals(model, params, batch, evidence, rng, settings)
    found |= certificates(batch, evidence, rng, settings)
    if batch.rationale is not None:
        found |= _marked(batch, evidence, settings.epsilon)
    return jax.device_get(found)


@jax.jit(static_argnums=2)
def _marked(batch: Example, evidence: Evidence, epsilon: float) -> Mapping[str, Array]:
    """Of tokens that were marked: does attention find them, how much mass could be put there unnoticed?"""

    def one(example: Example, seen: Evidence) -> Mapping[str, Array]:
        marked, mask = jnp.asarray(example.rationale), seen.encoded.mask
        low, high = certify.group_mass(seen.alpha, seen.token_logits, mask, marked, epsilon)
        return {
            "auprc_attention": average_precision(seen.alpha, marked, mask),
            "auprc_base_rate": average_precision(jnp.zeros(mask.shape), marked, mask),
            "marked_mass": jnp.where(marked & mask, seen.alpha, 0.0).sum(),
            "marked_mass_low": low,
            "marked_mass_high": high,
        }

    return jax.vmap(one)(batch, evidence)
