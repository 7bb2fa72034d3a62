"""Do a text's states all say the same? Conicity, for one batch (Mohankumar et al. 2020)."""

from collections.abc import Mapping

import jax
from jax import Array
from jaxtyping import Key

from attn_jax import rng as streams
from attn_jax.analyses.observe import observe
from attn_jax.analyses.weight_erasure import weight_erasure
from attn_jax.models.seam import AttentiveModel
from attn_jax.training.regularisers.diversity import conicity
from attn_jax.types import Example, Params


def similarity(
    model: AttentiveModel, params: Params, batch: Example, rng: Key[Array, ""]
) -> Mapping[str, Array]:
    """Conicity [B] and attention [B, T] beside the columns of `weight_erasure`."""
    seen = observe(model, params, batch, streams.stream(rng, "attention"))
    columns = {"conicity": jax.vmap(conicity)(seen.encoded.states, seen.encoded.mask), "alpha": seen.alpha}
    return columns | dict(weight_erasure(model, params, batch, rng))
