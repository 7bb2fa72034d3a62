"""What removing tokens means: one operator, so that a claim can be re-run under another definition."""

import dataclasses
from typing import Literal

import chex
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Key

from attn_jax import masking
from attn_jax.models.seam import AttentiveModel
from attn_jax.types import AnyArray, Encoded, Example, Params


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


def erase(
    model: AttentiveModel,
    params: Params,
    example: Example,
    encoded: Encoded,
    alpha: Float[Array, "T"],
    removed: Bool[AnyArray, "T"],
    rng: Key[Array, ""],
    how: Erasure,
) -> Float[Array, "C"]:
    """Logits without the `removed` tokens; those that attention may not look at always stay.

    `encoded` and `alpha` are the whole example's. `rng` is the instance's stream for random attention.
    Where no weight is left the context is 0 and the logits are the decoder's bias.
    """
    chex.assert_equal_shape([alpha, removed, encoded.mask])
    gone = jnp.asarray(removed) & encoded.mask
    after = (_absent if how.token == "absent" else _replaced)(model, params, example, encoded, gone, how)
    if how.weights == "recomputed":
        weights = model.attend(params, after, rngs={"attention": rng})
    else:
        weights = masking.normalise(alpha, after.mask)
    return model.decode(params, after, weights)


def replaced(
    model: AttentiveModel, params: Params, example: Example, gone: Bool[Array, "T"], how: Erasure
) -> Float[Array, "T E"]:
    """The word vectors with those of `gone` set to 0 or to the unknown word's."""
    x = model.embed(params, example).x
    if how.token == "zero":
        return jnp.where(gone[:, None], 0.0, x)
    unknown = jnp.full_like(jnp.asarray(example.ids), how.unknown_id)
    return jnp.where(gone[:, None], model.embed(params, example.replace(ids=unknown)).x, x)


def _replaced(
    model: AttentiveModel,
    params: Params,
    example: Example,
    encoded: Encoded,
    gone: Bool[Array, "T"],
    how: Erasure,
) -> Encoded:
    """Cached: only the replaced tokens' own states change."""
    x = replaced(model, params, example, gone, how)
    anew = model.encode(params, model.embed(params, example).replace(x=x))
    if how.states == "encoded":
        return anew
    return encoded.replace(states=jnp.where(gone[:, None], anew.states, encoded.states))


def _absent(
    model: AttentiveModel,
    params: Params,
    example: Example,
    encoded: Encoded,
    gone: Bool[Array, "T"],
    how: Erasure,
) -> Encoded:
    """Encoded: the shorter text's states, each put back in its token's old place."""
    mask = encoded.mask & ~gone
    if how.states == "cached":
        return encoded.replace(mask=mask)
    valid = jnp.asarray(example.valid) & ~gone
    if model.skips_gaps:
        embedded = model.embed(params, example)
        return model.encode(params, embedded.replace(valid=valid, attendable=mask))
    order = masking.compact(valid)
    shorter = example.replace(
        ids=jnp.asarray(example.ids)[order],
        valid=valid[order],
        attendable=mask[order],
        given=None if example.given is None else jnp.asarray(example.given)[order],
    )
    anew = model.encode(params, model.embed(params, shorter))
    states = jnp.zeros_like(anew.states).at[order].set(anew.states)
    return anew.replace(states=states, mask=mask, given=encoded.given)
