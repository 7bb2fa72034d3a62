"""How much the output moves when a token is really deleted and the rest is encoded anew."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Int, Key

from attn_jax import divergences, outputs
from attn_jax.models.seam import AttentiveModel
from attn_jax.types import AnyArray, Encoded, Example, Params


def without(example: Example, t: Int[Array, ""]) -> Example:
    """The example with token `t` deleted: later ones move up, the last place becomes padding.

    In a document [M, T] `t` counts through the sentences, and words move up within their own.
    """
    shape, length = example.ids.shape, example.ids.shape[-1]
    number = jnp.arange(example.ids.size).reshape(shape)
    place = number % length
    behind = (number >= t) & (number - place <= t)  # at t or after it, in the same row
    source = place + behind
    inside = source < length
    source = jnp.minimum(source, length - 1)

    def moved(values: AnyArray) -> Array:
        return jnp.where(inside, jnp.take_along_axis(jnp.asarray(values), source, -1), 0)

    return example.replace(
        ids=moved(example.ids),
        valid=moved(example.valid).astype(bool),
        attendable=moved(example.attendable).astype(bool),
        given=None if example.given is None else moved(example.given),
    )


def leave_one_out(
    model: AttentiveModel,
    params: Params,
    example: Example,
    logits: Float[Array, "C"],
    rng: Key[Array, ""],
    *,
    block: int = 8,
) -> Float[Array, "*Q T"]:
    """TVD between the outputs with and without each attendable token (Jain & Wallace 2019, Alg. 1).

    Deletions are made `block` at a time: memory grows with it, not with the length. SOS and EOS are
    never deleted. Deleting the only token leaves attention nothing to look at: logits are the bias; the
    only word of a sentence takes its sentence along.
    """
    before = outputs.probabilities(logits)
    encode_without = _skipping if model.skips_gaps else _shifting
    encoded_without = encode_without(model, params, example, rng)

    def effect(t: Int[Array, ""]) -> Float[Array, ""]:
        encoded = encoded_without(t)
        after = model.decode(params, encoded, model.attend(params, encoded, rngs={"attention": rng}))
        return divergences.tvd(outputs.probabilities(after), before)

    size = example.ids.size
    effects = jax.lax.map(effect, jnp.arange(size), batch_size=_divisor(size, block))
    return jnp.where(example.attendable, effects.reshape(example.ids.shape), 0.0)


def _shifting(
    model: AttentiveModel, params: Params, example: Example, rng: Key[Array, ""]
) -> Callable[[Array], Encoded]:
    """For any encoder: the shorter text is embedded and encoded anew."""
    rngs = {"attention": rng}
    return lambda t: model.encode(params, model.embed(params, without(example, t)), rngs=rngs)


def _skipping(
    model: AttentiveModel, params: Params, example: Example, rng: Key[Array, ""]
) -> Callable[[Array], Encoded]:
    """For encoders that skip gaps: only `valid` differs, so input projections are computed once for all."""
    embedded = model.embed(params, example)

    def encoded(t: Int[Array, ""]) -> Encoded:
        stays = jnp.arange(embedded.valid.size).reshape(embedded.valid.shape) != t
        gap = embedded.replace(valid=embedded.valid & stays, attendable=embedded.attendable & stays)
        return model.encode(params, gap, rngs={"attention": rng})

    return encoded


def _divisor(length: int, block: int) -> int:
    """The largest block that divides the length: a remainder would be compiled as a second program."""
    return max(size for size in range(1, min(block, length) + 1) if length % size == 0)
