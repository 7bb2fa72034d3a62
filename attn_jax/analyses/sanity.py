"""Does a saliency method depend on what was learned, and on nothing that the model cannot see?"""

from collections.abc import Mapping

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Key

from attn_jax import outputs
from attn_jax import rng as streams
from attn_jax.analyses.observe import observe
from attn_jax.analyses.saliency import Method, saliency
from attn_jax.errors import UserError
from attn_jax.models.classifier import SequenceClassifier
from attn_jax.models.encoders import Average, BiLSTM
from attn_jax.models.seam import AttentiveModel
from attn_jax.ranking import kendall_tau
from attn_jax.types import Example, Params


def randomised(params: Params, fresh: Params) -> Params:
    """All weights drawn anew but the word vectors (Adebayo et al. 2018, their last step at once)."""
    return {**fresh, "embedding": params["embedding"]}


def shifted(model: AttentiveModel, params: Params, amount: float = 1.0) -> Params:
    """Another model that says the same: every word vector moved by a constant, the first layer's bias back.

    Kindermans et al. (2019). It needs a first layer that sees one token at a time.
    """
    if not shiftable(model):
        raise UserError(
            f"A shift of the input cannot be taken back in {type(model).__name__} with this encoder, whose "
            "first layer does not see one token at a time: use one text with BiLSTM or Average."
        )
    recurrent = isinstance(model.encoder, BiLSTM)  # pyright: ignore[reportAttributeAccessIssue]
    first = [("forward_0", "input"), ("backward_0", "input")] if recurrent else [("project", "dense")]
    layers = dict(params["encoder"])
    for name, part in first:
        own = layers[name][part]
        moved = {**own, "bias": own["bias"] - amount * own["kernel"].sum(0)}
        layers[name] = {**layers[name], part: moved}
    table = jax.tree.map(lambda a: a + amount, params["embedding"])
    return {**params, "embedding": table, "encoder": layers}


def shiftable(model: AttentiveModel) -> bool:
    """Whether the first layer can take a shift of all word vectors back."""
    return isinstance(model, SequenceClassifier) and isinstance(model.encoder, BiLSTM | Average)


def kept(
    model: AttentiveModel,
    params: Params,
    other: Params,
    batch: Example,
    rng: Key[Array, ""],
    methods: Mapping[str, Method],
) -> dict[str, Float[Array, "B"]]:
    """Kendall's tau of each method's magnitudes under `params` and under `other`, and the output's TVD.

    Near 1 for `shifted`, where nothing changed; near 0 for `randomised`, where all that was learned is gone.
    """
    found, evidence = [], []
    for weights in (params, other):
        evidence.append(observe(model, weights, batch, streams.stream(rng, "attention")))
        found.append(saliency(model, weights, batch, evidence[-1], rng, methods))
    said = [outputs.probabilities(seen.logits) for seen in evidence]
    columns = {name: _taus(found[0][name], found[1][name], evidence[0].encoded.mask) for name in methods}
    return columns | {"tvd": 0.5 * jnp.abs(said[0] - said[1]).sum(-1)}


@jax.jit
def _taus(
    first: Float[Array, "B T"], second: Float[Array, "B T"], mask: Bool[Array, "B T"]
) -> Float[Array, "B"]:
    return jax.vmap(kendall_tau)(jnp.abs(first), jnp.abs(second), mask).tau
