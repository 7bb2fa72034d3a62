"""Does erasing the highest attention weights change the decision, and is there a shorter way?"""

from collections.abc import Callable
from typing import NamedTuple

import chex
import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int, Key

from attn_jax import certify, divergences, masking, outputs
from attn_jax.analyses import selection
from attn_jax.types import AnyArray

Decode = Callable[[Float[Array, "T"]], Float[Array, "C"]]


class SingleWeight(NamedTuple):
    """The highest weight against a random other one; NaN and False below two tokens."""

    delta_alpha: Float[Array, ""]  # the highest weight minus the other
    delta_js: Float[Array, ""]  # what erasing it does to the output (JSD) minus what the other does
    top_flips: Bool[Array, ""]
    other_flips: Bool[Array, ""]
    defined: Bool[Array, ""]


class Removal(NamedTuple):
    """Weights erased one after the other until the decision changes.

    Never flipping: `flips` is False and `fraction` 1. `regret` counts the removals beyond the smallest
    flip set; where that exists and the order never flips it is a lower bound.
    """

    count: Int[Array, ""]
    fraction: Float[Array, ""]  # of the attendable tokens
    flips: Bool[Array, ""]
    regret: Int[Array, ""]


def single_weight(
    decode: Decode, alpha: Float[Array, "T"], mask: Bool[AnyArray, "T"], rng: Key[Array, ""]
) -> SingleWeight:
    """Serrano & Smith (2019): alpha_i := 0, the rest renormalised, the states as they are."""
    chex.assert_equal_shape([alpha, mask])
    best = selection.order(alpha, mask)[0]
    others = jnp.asarray(mask) & (jnp.arange(alpha.shape[0]) != best)
    other = jnp.argmax(jnp.where(others, jax.random.uniform(rng, alpha.shape), -1.0))
    before = decode(alpha)

    def erased(t: Int[Array, ""]) -> tuple[Array, Array]:
        after = decode(masking.normalise(alpha, mask & (jnp.arange(alpha.shape[0]) != t)))
        moved = divergences.jsd(outputs.probabilities(after), outputs.probabilities(before))
        return moved, outputs.predicted(after) != outputs.predicted(before)

    (top_js, top_flips), (other_js, other_flips) = erased(best), erased(other)
    defined = others.any()
    delta_alpha, delta_js = (
        jnp.where(defined, delta, jnp.nan) for delta in (alpha[best] - alpha[other], top_js - other_js)
    )
    return SingleWeight(delta_alpha, delta_js, top_flips & defined, other_flips & defined, defined)


def flip_table(single: SingleWeight, weight: Float[AnyArray, "B"]) -> Float[Array, "2 2"]:
    """Their 2 x 2 table over a batch: [highest flips?][other flips?], summed weights of the defined rows."""
    counted = jnp.where(single.defined, weight, 0.0)
    rows, columns = (jnp.stack([~f, f]).astype(counted.dtype) for f in (single.top_flips, single.other_flips))
    return (rows * counted[None]) @ columns.T


def orders(
    decode: Decode, alpha: Float[Array, "T"], mask: Bool[AnyArray, "T"], rng: Key[Array, ""]
) -> dict[str, Int[Array, "T"]]:
    """What to erase first, as they compare it. The gradient is d p_max / d alpha, signed."""
    said = outputs.predicted(decode(alpha))
    slope = jax.grad(lambda a: outputs.probabilities(decode(a))[said])(alpha)
    scores = {
        "attention": alpha,
        "gradient": slope,
        "gradient_x_attention": slope * alpha,
        "random": jax.random.uniform(rng, alpha.shape),
        "reverse_attention": -alpha,
    }
    return {name: selection.order(score, mask) for name, score in scores.items()}


def removals(
    decode: Decode,
    alpha: Float[Array, "T"],
    token_logits: Float[Array, "T C"],
    mask: Bool[AnyArray, "T"],
    rng: Key[Array, ""],
) -> dict[str, Removal]:
    """Each order and the smallest flip set under one predicate, for decoders affine in alpha.

    Differs from the paper: instances that never flip stay in and are marked, so that the orders are
    compared on the same ones. `decode` is the model's own: the gradient must not see its bias.
    """
    least = certify.minimal_flip(alpha, token_logits, mask)
    total = jnp.maximum(mask.sum(), 1)

    def along(order: Int[Array, "T"]) -> Removal:
        found = certify.flip_at(order, alpha, token_logits, mask)
        return Removal(found.count, found.count / total, found.flips, found.count - least.count)

    found = {name: along(order) for name, order in orders(decode, alpha, mask, rng).items()}
    least_regret = jnp.zeros_like(least.count)
    return found | {"smallest": Removal(least.count, least.count / total, least.flips, least_regret)}


def flip_along(
    decode: Decode, order: Int[Array, "T"], alpha: Float[Array, "T"], mask: Bool[AnyArray, "T"]
) -> certify.FlipAt:
    """The same for any decoder, by decoding after each removal: what `certify.flip_at` does without."""
    places = jnp.argsort(order)
    removable = jnp.asarray(mask) & (alpha > 0)
    before = outputs.predicted(decode(alpha))

    def step(k: Int[Array, ""]) -> tuple[Array, Array]:
        kept = removable & (places > k)
        after = outputs.predicted(decode(masking.normalise(alpha, kept)))
        return (after != before) & kept.any() & removable[order[k]], (removable & (places <= k)).sum()

    flipped, counts = jax.lax.map(step, jnp.arange(alpha.shape[0]))
    flips = flipped.any()
    return certify.FlipAt(jnp.where(flips, counts[jnp.argmax(flipped)], mask.sum()).astype(jnp.int32), flips)
