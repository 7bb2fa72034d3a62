"""Relevance backwards through the decoders, from the predicted class's logit to the attended states."""

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from attn_jax import outputs
from attn_jax.analyses.saliency.lrp.rule import Rule
from attn_jax.errors import UserError
from attn_jax.models.classifier import SequenceClassifier
from attn_jax.models.hierarchical import HierarchicalClassifier
from attn_jax.models.pair import PairClassifier, ReleasedPairClassifier
from attn_jax.models.seam import AttentiveModel
from attn_jax.types import Encoded, Params


def started(made: Float[Array, "C"], logits: Float[Array, "C"]) -> Float[Array, "C"]:
    """The logit that is explained; a single logit speaks for class 1, its negative for class 0."""
    said = outputs.predicted(logits)
    if made.shape[0] == 1:
        return jnp.where(said == 1, made, -made)
    return jnp.where(jnp.arange(made.shape[0]) == said, made, 0.0)


def check(model: AttentiveModel) -> None:
    """Raises for a model whose decoder has no rule."""
    if not isinstance(model, SequenceClassifier | PairClassifier | HierarchicalClassifier):
        raise UserError(
            f"LRP has no rule for the decoder of {type(model).__name__}: leave lrp out of the methods, or "
            "add a branch in attn_jax/analyses/saliency/lrp/decoder.py."
        )


def through_decoder(
    rule: Rule,
    model: AttentiveModel,
    params: Params,
    encoded: Encoded,
    context: Float[Array, "H"],
    logits: Float[Array, "C"],
) -> tuple[Float[Array, "H"], Float[Array, ""], Float[Array, ""]]:
    """Relevance of the context, what went to the question, and the logit that both come from."""
    if isinstance(model, ReleasedPairClassifier):
        return _released(rule, params, encoded, context, logits)
    relevance, logit = _last(rule, params, context, logits)
    return relevance, jnp.zeros_like(logit), logit


def _last(
    rule: Rule, params: Params, inputs: Float[Array, "I"], logits: Float[Array, "C"]
) -> tuple[Float[Array, "I"], Float[Array, ""]]:
    """The affine map to the logits."""
    kernel, bias = params["decoder"]["dense"]["kernel"], params["decoder"]["dense"]["bias"]
    made = inputs @ kernel + bias
    start = started(made, logits)
    return rule.affine(kernel, bias, inputs, made, start, inputs.shape[0]), start.sum()


def _released(
    rule: Rule, params: Params, encoded: Encoded, context: Float[Array, "H"], logits: Float[Array, "C"]
) -> tuple[Float[Array, "H"], Float[Array, ""], Float[Array, ""]]:
    """Linear(tanh(W_p h_alpha + W_q Q)): the question is an input as the context is."""
    inputs = jnp.concatenate([context, jnp.asarray(encoded.query)])
    layers = params["from_context"]["dense"], params["from_query"]["dense"]
    kernel, bias = jnp.concatenate([layer["kernel"] for layer in layers]), layers[0]["bias"]
    made = inputs @ kernel + bias
    relevance, logit = _last(rule, params, jnp.tanh(made), logits)
    found = rule.affine(kernel, bias, inputs, made, relevance, inputs.shape[0])
    return found[: context.shape[0]], found[context.shape[0] :].sum(), logit
