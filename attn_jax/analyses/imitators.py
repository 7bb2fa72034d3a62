"""How far are imitators from the models they imitate?"""

from typing import NamedTuple

import jax
from jax import Array
from jaxtyping import Float, Int

from attn_jax import divergences, outputs
from attn_jax.models.seam import AttentiveModel
from attn_jax.training.imitation import attention_and_logits
from attn_jax.types import Example, Params


class Comparison(NamedTuple):
    """How far each imitator is from its target on each instance, and what it decides."""

    jsd: Float[Array, "S L B"]
    tvd: Float[Array, "S L B"]
    prediction: Int[Array, "S L B"]


@jax.jit(static_argnames=("model",))
def compare(params: Params, targets: Params, batch: Example, *, model: AttentiveModel) -> Comparison:
    """Imitators [S, L, ...] beside their targets [S, ...] on one batch (Tutek & Snajder 2020, Figure 1)."""

    def one(params: Params, target: Params, example: Example) -> Comparison:
        (alpha, logits), (base, told) = (attention_and_logits(model, p, example) for p in (params, target))
        change = divergences.tvd(outputs.probabilities(logits), outputs.probabilities(told))
        return Comparison(divergences.jsd(alpha, base), change, outputs.predicted(logits))

    rows = jax.vmap(one, (None, None, 0))
    return jax.vmap(jax.vmap(rows, (0, None, None)), (0, 0, None))(params, targets, batch)
