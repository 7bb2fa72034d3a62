"""Attention itself, as the explanation that the others are compared with."""

from jax import Array
from jaxtyping import Float

from attn_jax.analyses.case import Case
from attn_jax.errors import UserError


def attention(case: Case) -> Float[Array, "*M T"]:
    """The weights as they are; in a document a word's weight times its sentence's."""
    if case.alpha.shape != case.example.ids.shape:
        raise UserError(
            f"{type(case.model).__name__} attends with weights of shape {case.alpha.shape}, not one a token: "
            "leave `attention` out of the methods, or put rollout in its place."
        )
    if case.alpha.ndim == 1:
        return case.alpha
    rngs = {"attention": case.rng}
    embedded = case.model.embed(case.params, case.example)
    sentences = case.model.encode(case.params, embedded, site="sentence", rngs=rngs)
    return case.alpha * case.model.attend(case.params, sentences, rngs=rngs)[:, None]
