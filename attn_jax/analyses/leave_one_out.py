"""How much the output moves when a token is really deleted and the rest is encoded anew."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int, Key

from attn_jax import divergences, outputs
from attn_jax.models import recurrence
from attn_jax.models.seam import AttentiveModel
from attn_jax.types import AnyArray, Encoded, Example, Params

# Tokens of all the shortened texts of one example that are encoded at a time.
BLOCK_TOKENS = 4096


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
    until: Int[Array, ""] | None = None,
    block: int = 4,
) -> Float[Array, "*Q T"]:
    """TVD between the outputs with and without each attendable token (Jain & Wallace 2019, Alg. 1).

    Deletions are made at most `block` at a time, fewer in long texts: memory is bounded by `BLOCK_TOKENS`.
    SOS and EOS are never deleted. Deleting the only token leaves attention nothing to look at: logits are
    the bias; the only word of a sentence takes its sentence along.

    Args:
        model: whose output is looked at.
        params: its parameters.
        example: the text.
        logits: the output before any deletion.
        rng: of random attention.
        until: the position after the last one that is not padding in any text of the batch: the same for
            all of them, so that none of its padding is read.
        block: deletions made at a time.
    """
    before = outputs.probabilities(logits)
    size = example.ids.size
    block = _divisor(size, min(block, max(1, BLOCK_TOKENS // size)))
    end = jnp.asarray(size if until is None else until)
    deleting = _reading_on if model.reads_on else _skipping if model.skips_gaps else _shifting

    def effect(encoded: Encoded) -> Float[Array, ""]:
        after = model.decode(params, encoded, model.attend(params, encoded, rngs={"attention": rng}))
        return divergences.tvd(outputs.probabilities(after), before)

    effects_from = deleting(model, params, example, rng, effect, block, end)

    def some(number: Int[Array, ""], effects: Float[Array, "T"]) -> Float[Array, "T"]:
        return jax.lax.dynamic_update_slice(effects, effects_from(number * block), (number * block,))

    effects = jax.lax.fori_loop(0, (end + block - 1) // block, some, jnp.zeros(size, before.dtype))
    return jnp.where(example.attendable, effects.reshape(example.ids.shape), 0.0)


def last_position(batch: Example) -> Int[Array, ""]:
    """`until` of a batch: the position after the last one that is valid in any of its texts."""
    used = jnp.asarray(batch.valid).reshape(batch.valid.shape[0], -1).any(0)
    return jnp.where(used, 1 + jnp.arange(used.shape[0]), 0).max()


# The effect of a shortened text, and the effects of the deletions from a position on.
Effect = Callable[[Encoded], Float[Array, ""]]
Effects = Callable[[Int[Array, ""]], Float[Array, "K"]]


def _shifting(
    model: AttentiveModel,
    params: Params,
    example: Example,
    rng: Key[Array, ""],
    effect: Effect,
    block: int,
    until: Int[Array, ""],
) -> Effects:
    """For any encoder: the shorter text is embedded and encoded anew."""

    def one(t: Int[Array, ""]) -> Float[Array, ""]:
        embedded = model.embed(params, without(example, t))
        return effect(model.encode(params, embedded, rngs={"attention": rng}))

    return lambda first: jax.vmap(one)(first + jnp.arange(block))


def _skipping(
    model: AttentiveModel,
    params: Params,
    example: Example,
    rng: Key[Array, ""],
    effect: Effect,
    block: int,
    until: Int[Array, ""],
) -> Effects:
    """For encoders that skip gaps: only `valid` differs, so input projections are computed once for all."""
    embedded = model.embed(params, example)

    def one(t: Int[Array, ""]) -> Float[Array, ""]:
        stays = jnp.arange(embedded.valid.size).reshape(embedded.valid.shape) != t
        gap = embedded.replace(valid=embedded.valid & stays, attendable=embedded.attendable & stays)
        return effect(model.encode(params, gap, rngs={"attention": rng}))

    return lambda first: jax.vmap(one)(first + jnp.arange(block))


def _reading_on(
    model: AttentiveModel,
    params: Params,
    example: Example,
    rng: Key[Array, ""],
    effect: Effect,
    block: int,
    until: Int[Array, ""],
) -> Effects:
    """For one recurrent layer: what was read before the deleted token, in either direction, is kept."""
    embedded = model.embed(params, example)
    whole, (ahead, back) = model.encode(params, embedded), model.readings(params, embedded)

    def one(states: Float[Array, "T H"], stays: Bool[Array, "T"]) -> Float[Array, ""]:
        return effect(whole.replace(states=states, mask=whole.mask & stays))

    def some(first: Int[Array, ""]) -> Float[Array, "K"]:
        stays = jnp.arange(embedded.x.shape[0])[:, None] != first + jnp.arange(block)[None]
        return jax.vmap(one, 1)(recurrence.without(ahead, back, first, block, until), stays)

    return some


def _divisor(length: int, block: int) -> int:
    """The largest block that divides the length: a remainder would be compiled as a second program."""
    return max(size for size in range(1, min(block, length) + 1) if length % size == 0)
