"""The published search for attention that differs most while the output stays (Alg. 3)."""

import dataclasses
import math
from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax
from jax import Array
from jaxtyping import Bool, Float, Key

from attn_jax import divergences, masking, outputs
from attn_jax.types import AnyArray


@dataclasses.dataclass(frozen=True)
class Search:
    """Settings of Alg. 3; the paper's by default."""

    restarts: int = 5  # k
    penalty: float = 500.0  # lambda
    steps: int = 500
    learning_rate: float = 0.01
    spread: float = 3.0  # attention logits start from spread * N(0, 1), as in the released code
    released: bool = False  # lambda a restart (not lambda/k), mean over k x k pairs, amsgrad


PAPER = Search()
_FLOOR = 1e-12  # of a weight: smaller ones have no slope to speak of, and three ratios stay below 1e38


class Adversary(NamedTuple):
    """The farthest feasible distribution found; jsd 0 and the model's own alpha if none is feasible."""

    jsd: Float[Array, ""]
    alpha: Float[Array, "T"]
    feasible: Bool[Array, ""]


def adversary(
    decode: Callable[[Float[Array, "T"]], Float[Array, "C"]],
    alpha: Float[Array, "T"],
    mask: Bool[AnyArray, "T"],
    epsilon: float | Float[Array, ""],
    rng: Key[Array, ""],
    search: Search = PAPER,
) -> Adversary:
    """Jain & Wallace (2019), Alg. 3: k distributions, relaxed Eq. 1 maximised by Adam, h held fixed.

    Differs from the paper: its relaxed objective prints a plus before the penalty where a minus is meant.
    """
    before = outputs.probabilities(decode(alpha))
    start = search.spread * jax.random.normal(rng, (mask.shape[0], search.restarts)).T
    transform = (optax.amsgrad if search.released else optax.adam)(search.learning_rate)
    weight = search.penalty if search.released else search.penalty / search.restarts
    places = jnp.broadcast_to(mask, start.shape)

    def change(found: Float[Array, "R T"]) -> Float[Array, "R"]:
        after = outputs.probabilities(jax.vmap(decode)(found))
        return jax.vmap(divergences.tvd, (0, None))(after, before)

    def penalty(found: Float[Array, "R T"]) -> Float[Array, ""]:
        return weight * jax.nn.relu(change(found) - epsilon).sum()

    def step(carry, _):
        scores, state = carry
        found = masking.softmax(scores, places)
        slope = jax.grad(penalty)(found) - _slope(found, alpha, search.released)
        slope = found * (slope - (found * slope).sum(-1, keepdims=True))  # through the softmax
        updates, state = transform.update(slope, state)
        return (scores + updates, state), None

    (scores, _), _ = jax.lax.scan(step, (start, transform.init(start)), None, length=search.steps)
    found = masking.softmax(scores, places)
    return _best(found, change(found), alpha, mask, epsilon)


def _slope(found: Float[Array, "R T"], alpha: Float[Array, "T"], released: bool) -> Float[Array, "R T"]:
    """Slope of both distances of Eq. 2, but for a constant, which a softmax does not feel.

    JSD(p, q) climbs in p by ln(p / m) / 2 with m = (p + q) / 2: JSD to alpha, and with each other
    distribution divided by k(k-1), in the released code (the mean of k x k pairs) by k^2 / 2. Three ratios
    share a logarithm: 15 a token and step for k = 5. Nothing is rolled, which would keep a CPU from vectors.
    """
    k = found.shape[0]
    share = 2 / k**2 if released else 1 / max(k * (k - 1), 1)
    inverse = 1 / jnp.maximum(found, _FLOOR)
    slope = -0.5 * jnp.log(0.5 + 0.5 * alpha[None] * inverse)
    for first in range(0, k, 3):
        ratios = [0.5 + 0.5 * other[None] * inverse for other in found[first : first + 3]]
        slope = slope - 0.5 * share * jnp.log(math.prod(ratios[1:], start=ratios[0]))
    return slope


def _best(
    found: Float[Array, "R T"],
    change: Float[Array, "R"],
    alpha: Float[Array, "T"],
    mask: Bool[AnyArray, "T"],
    epsilon: float | Float[Array, ""],
) -> Adversary:
    feasible = (change <= epsilon) & mask.any()
    distance = jnp.where(feasible, jax.vmap(divergences.jsd, (0, None))(found, alpha), -1.0)
    best = jnp.argmax(distance)
    return Adversary(
        jnp.maximum(distance[best], 0.0), jnp.where(feasible.any(), found[best], alpha), feasible.any()
    )
