"""How far are models from the one they are held against: imitators from their target, seeds from a seed?"""

from typing import NamedTuple

import jax
from jax import Array
from jaxtyping import Float, Int

from attn_jax import divergences, outputs
from attn_jax.models.seam import AttentiveModel
from attn_jax.training.imitation import attention_and_logits
from attn_jax.types import Example, Params


class Comparison(NamedTuple):
    """How far each model is from its target on each instance, and what both decide."""

    jsd: Float[Array, "S L B"]
    tvd: Float[Array, "S L B"]
    prediction: Int[Array, "S L B"]
    target_prediction: Int[Array, "S L B"]
    target_max_attention: Float[Array, "S L B"]


@jax.jit(static_argnames=("model",))
def compare(params: Params, targets: Params, batch: Example, *, model: AttentiveModel) -> Comparison:
    """Models [S, L, ...] beside their targets [S, ...] on one batch (Tutek & Snajder 2020, Figure 1)."""

    def one(params: Params, target: Params, example: Example) -> Comparison:
        (alpha, logits), (base, told) = (attention_and_logits(model, p, example) for p in (params, target))
        change = divergences.tvd(outputs.probabilities(logits), outputs.probabilities(told))
        decided, target_decided = outputs.predicted(logits), outputs.predicted(told)
        return Comparison(divergences.jsd(alpha, base), change, decided, target_decided, base.max())

    rows = jax.vmap(one, (None, None, 0))
    return jax.vmap(jax.vmap(rows, (0, None, None)), (0, 0, None))(params, targets, batch)
