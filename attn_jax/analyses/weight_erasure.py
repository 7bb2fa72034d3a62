"""Serrano & Smith's tests of one model on one batch: one weight erased, many weights erased."""

from collections.abc import Mapping

import jax
from jax import Array
from jaxtyping import Key

from attn_jax import outputs
from attn_jax import rng as streams
from attn_jax.analyses import flips
from attn_jax.analyses.observe import observe
from attn_jax.models.seam import AttentiveModel
from attn_jax.types import Evidence, Example, Params


def weight_erasure(
    model: AttentiveModel, params: Params, batch: Example, rng: Key[Array, ""]
) -> Mapping[str, Array]:
    """Columns [B], rows of padding included. `rng` is the seed's root stream."""
    evidence = observe(model, params, batch, streams.stream(rng, "attention"))
    return _examine(model, params, batch, evidence, rng)


@jax.jit(static_argnums=0)
def _examine(
    model: AttentiveModel, params: Params, batch: Example, evidence: Evidence, rng: Key[Array, ""]
) -> Mapping[str, Array]:
    def one(example: Example, seen: Evidence) -> Mapping[str, Array]:
        single_rng, order_rng = jax.random.split(
            streams.instance(streams.stream(rng, "weights erased"), example.index)
        )
        alpha, mask = seen.alpha, seen.encoded.mask

        def decode(weights: Array) -> Array:
            return model.decode(params, seen.encoded, weights)

        single = flips.single_weight(decode, alpha, mask, single_rng)
        columns = {
            "prediction": outputs.predicted(seen.logits),
            "delta_alpha": single.delta_alpha,
            "delta_js": single.delta_js,
            "single_defined": single.defined,
            "top_flips": single.top_flips,
            "other_flips": single.other_flips,
        }
        if not model.affine:
            return columns
        for name, removal in flips.removals(decode, alpha, seen.token_logits, mask, order_rng).items():
            columns |= {f"{name}_{field}": value for field, value in removal._asdict().items()}
        return columns

    return jax.vmap(one)(batch, evidence)
