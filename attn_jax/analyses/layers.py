"""Permuting self-attention layer by layer, each with all before it (Vashishth et al. 2019, 4.3, Figure 4)."""

from collections.abc import Mapping, Sequence

import jax
import numpy as np
from jax import Array
from jaxtyping import Key

from attn_jax import divergences, outputs
from attn_jax import rng as streams
from attn_jax.models.alterations import ALTERATIONS
from attn_jax.models.layered import Layered
from attn_jax.types import Example, Params

# What the paper calls a stack of layers, by how the names of its sites begin and end.
_STACKS = {"encoder": ("enc/", ""), "decoder": ("dec/", "/self"), "across": ("dec/", "/cross")}


def cumulative(sites: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """`permute_STACK_k` to the sites of the first k layers of that stack."""
    found = {}
    for name, (start, end) in _STACKS.items():
        own = [site for site in sites if site.startswith(start) and site.endswith(end)]
        found |= {f"permute_{name}_{k}": tuple(own[:k]) for k in range(1, len(own) + 1)}
    return found


def permuted_layers(
    model: Layered, params: Params, batch: Example, rng: Key[Array, ""]
) -> dict[str, np.ndarray]:
    """Columns [B, ...]: what the model says, and what it says with its first k layers permuted.

    `rng` is the seed's root stream; an instance's draws are the same in whatever batch.
    """
    return jax.device_get(dict(_examine(model, params, batch, rng)))


@jax.jit(static_argnums=0)
def _examine(model: Layered, params: Params, batch: Example, rng: Key[Array, ""]) -> Mapping[str, Array]:
    def one(example: Example) -> dict[str, Array]:
        own = streams.stream(streams.instance(rng, example.index), "layers")
        logits = model.forward(params, example)
        said = outputs.probabilities(logits)
        columns = {"prediction": outputs.predicted(logits), "probabilities": said}
        for variant, sites in cumulative(model.sites).items():
            altered = dict.fromkeys(sites, ALTERATIONS["permute"])
            other = model.forward_altered(params, example, altered, own)
            columns[f"prediction_{variant}"] = outputs.predicted(other)
            columns[f"tvd_{variant}"] = divergences.tvd(outputs.probabilities(other), said)
        return columns

    return jax.vmap(one)(batch)
