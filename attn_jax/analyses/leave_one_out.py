"""How much the output moves when a token is really deleted and the rest is encoded anew."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Int, Key

from attn_jax import divergences, outputs
from attn_jax.models.seam import AttentiveModel
from attn_jax.types import Encoded, Example, Params


def without(example: Example, t: Int[Array, ""]) -> Example:
    """The example with token `t` deleted: later ones move up, the last place becomes padding."""
    length = example.ids.shape[-1]
    source = jnp.arange(length) + (jnp.arange(length) >= t)
    inside = source < length
    source = jnp.minimum(source, length - 1)
    given = None if example.given is None else jnp.where(inside, jnp.asarray(example.given)[source], 0.0)
    return example.replace(
        ids=jnp.where(inside, jnp.asarray(example.ids)[source], 0),
        valid=inside & jnp.asarray(example.valid)[source],
        attendable=inside & jnp.asarray(example.attendable)[source],
        given=given,
    )


def leave_one_out(
    model: AttentiveModel,
    params: Params,
    example: Example,
    logits: Float[Array, "C"],
    rng: Key[Array, ""],
    *,
    block: int = 8,
) -> Float[Array, "T"]:
    """TVD between the outputs with and without each attendable token (Jain & Wallace 2019, Alg. 1).

    Deletions are made `block` at a time: memory grows with it, not with the length. SOS and EOS are
    never deleted. Deleting the only token leaves attention nothing to look at: logits are the bias.
    """
    before = outputs.probabilities(logits)
    encode_without = _skipping if model.skips_gaps else _shifting
    encoded_without = encode_without(model, params, example)

    def effect(t: Int[Array, ""]) -> Float[Array, ""]:
        encoded = encoded_without(t)
        after = model.decode(params, encoded, model.attend(params, encoded, rngs={"attention": rng}))
        return divergences.tvd(outputs.probabilities(after), before)

    length = example.ids.shape[-1]
    effects = jax.lax.map(effect, jnp.arange(length), batch_size=_divisor(length, block))
    return jnp.where(example.attendable, effects, 0.0)


def _shifting(model: AttentiveModel, params: Params, example: Example) -> Callable[[Array], Encoded]:
    """For any encoder: the shorter text is embedded and encoded anew."""
    return lambda t: model.encode(params, model.embed(params, without(example, t)))


def _skipping(model: AttentiveModel, params: Params, example: Example) -> Callable[[Array], Encoded]:
    """For encoders that skip gaps: only `valid` differs, so input projections are computed once for all."""
    embedded = model.embed(params, example)

    def encoded(t: Int[Array, ""]) -> Encoded:
        stays = jnp.arange(embedded.x.shape[0]) != t
        gap = embedded.replace(valid=embedded.valid & stays, attendable=embedded.attendable & stays)
        return model.encode(params, gap)

    return encoded


def _divisor(length: int, block: int) -> int:
    """The largest block that divides the length: a remainder would be compiled as a second program."""
    return max(size for size in range(1, min(block, length) + 1) if length % size == 0)
