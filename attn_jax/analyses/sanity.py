"""Does a saliency method depend on what was learned, and on nothing that the model cannot see?"""

from collections.abc import Mapping

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Key

from attn_jax import divergences, outputs
from attn_jax import rng as streams
from attn_jax.analyses.observe import observe
from attn_jax.analyses.saliency import Method, saliency
from attn_jax.errors import UserError
from attn_jax.models.classifier import SequenceClassifier
from attn_jax.models.encoders import Average, BiLSTM
from attn_jax.models.layers import word_vectors
from attn_jax.models.seam import AttentiveModel
from attn_jax.ranking import kendall_tau
from attn_jax.types import AnyArray, Evidence, Example, Params


def randomised(params: Params, fresh: Params) -> Params:
    """All weights drawn anew but the word vectors (Adebayo et al. 2018, their last step at once)."""
    return {**fresh, **{name: params[name] for name in word_vectors(params)}}


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
    others: Mapping[str, Params],
    batch: Example,
    rng: Key[Array, ""],
    methods: Mapping[str, Method],
) -> dict[str, Float[Array, "B"]]:
    """Columns KIND/METHOD: Kendall's tau of a method's magnitudes under `params` and under each of `others`.

    Near 1 for `shifted`, where nothing changed; near 0 for `randomised`, where all that was learned is gone.
    KIND/tvd is how far the output moved.
    """

    def look(weights: Params) -> tuple[Evidence, Mapping[str, Array]]:
        evidence = observe(model, weights, batch, streams.stream(rng, "attention"))
        return evidence, saliency(model, weights, batch, evidence, rng, methods)

    (evidence, scores), columns = look(params), {}
    for kind, weights in others.items():
        changed, found = look(weights)
        for name in methods:
            columns[f"{kind}/{name}"] = _taus(scores[name], found[name], evidence.encoded.mask)
        said, before = (outputs.probabilities(seen.logits) for seen in (changed, evidence))
        columns[f"{kind}/tvd"] = divergences.tvd(said, before)
    return columns


@jax.jit
def _taus(
    first: Float[Array, "B T"], second: Float[Array, "B T"], mask: Bool[AnyArray, "B T"]
) -> Float[Array, "B"]:
    return jax.vmap(kendall_tau)(jnp.abs(first), jnp.abs(second), mask).tau
