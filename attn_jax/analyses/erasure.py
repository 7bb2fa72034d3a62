"""What removing tokens means: one operator, so that a claim can be re-run under another definition."""

import dataclasses
from typing import Literal

import chex
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float

from attn_jax import masking
from attn_jax.analyses.case import Case
from attn_jax.errors import UserError
from attn_jax.types import AnyArray, Embedded, Encoded


@dataclasses.dataclass(frozen=True)
class Erasure:
    """Three independent choices; the definitions in the literature are the named ones of `MODES`."""

    token: Literal["absent", "unknown", "zero"] = "absent"  # gone, or its word vector replaced
    weights: Literal["kept", "recomputed"] = "kept"  # the old attention renormalised, or the model's anew
    states: Literal["cached", "encoded"] = "cached"  # do the other tokens' states notice?
    unknown_id: int = 1  # the word whose vector stands for "unknown"


MODES = {
    "renormalise": Erasure(),  # alpha_i = 0, the rest scaled up (Serrano & Smith 2019)
    "logit": Erasure(weights="recomputed"),  # score -infinity before the softmax (Mohankumar et al. 2020)
    "delete": Erasure(weights="recomputed", states="encoded"),  # the shorter text (Jain & Wallace 2019)
    "mask": Erasure("unknown", "recomputed", "encoded"),  # the unknown word in its place
}


def erase(case: Case, removed: Bool[AnyArray, "*M T"], how: Erasure) -> Float[Array, "C"]:
    """Logits without the `removed` tokens; those that attention may not look at always stay.

    Where no weight is left the context is 0 and the logits are the decoder's bias.
    """
    chex.assert_equal_shape([case.alpha, removed, case.seen.encoded.mask])
    gone = jnp.asarray(removed) & case.seen.encoded.mask
    after = (_absent if how.token == "absent" else _replaced)(case, gone, how)
    if how.weights == "recomputed":
        weights = case.model.attend(case.params, after, rngs={"attention": case.rng})
    else:
        weights = masking.normalise(case.alpha, after.mask)
    return case.model.decode(case.params, after, weights)


def replaced(case: Case, gone: Bool[Array, "*M T"], how: Erasure) -> Float[Array, "*M T E"]:
    """The word vectors with those of `gone` set to 0 or to the unknown word's."""
    x = case.model.embed(case.params, case.example).x
    if how.token == "zero":
        return jnp.where(gone[..., None], 0.0, x)
    unknown = jnp.full_like(jnp.asarray(case.example.ids), how.unknown_id)
    other = case.model.embed(case.params, case.example.replace(ids=unknown)).x
    return jnp.where(gone[..., None], other, x)


def _replaced(case: Case, gone: Bool[Array, "*M T"], how: Erasure) -> Encoded:
    """Cached: only the replaced tokens' own states change."""
    embedded = case.model.embed(case.params, case.example)
    anew = _encode(case, embedded.replace(x=replaced(case, gone, how)))
    if how.states == "encoded":
        return anew
    encoded = case.seen.encoded
    return encoded.replace(states=jnp.where(gone[..., None], anew.states, encoded.states))


def _absent(case: Case, gone: Bool[Array, "*M T"], how: Erasure) -> Encoded:
    """Encoded: the shorter text's states, each put back in its token's old place."""
    example, encoded = case.example, case.seen.encoded
    mask = encoded.mask & ~gone
    if how.states == "cached":
        return encoded.replace(mask=mask)
    valid = jnp.asarray(example.valid) & ~gone
    if case.model.skips_gaps:
        embedded = case.model.embed(case.params, example)
        return _encode(case, embedded.replace(valid=valid, attendable=mask))
    if valid.ndim > 1:
        raise UserError(
            "Deleting words of a document needs encoders that skip gaps, such as BiLSTM and Average: use "
            "those, or an erasure that keeps the states or replaces the word's vector."
        )
    order = masking.compact(valid)
    shorter = example.replace(
        ids=jnp.asarray(example.ids)[order],
        valid=valid[order],
        attendable=mask[order],
        given=None if example.given is None else jnp.asarray(example.given)[order],
    )
    anew = _encode(case, case.model.embed(case.params, shorter))
    states = jnp.zeros_like(anew.states).at[order].set(anew.states)
    return anew.replace(states=states, mask=mask, given=encoded.given)


def _encode(case: Case, embedded: Embedded) -> Encoded:
    return case.model.encode(case.params, embedded, rngs={"attention": case.rng})
