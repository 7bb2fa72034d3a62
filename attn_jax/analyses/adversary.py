"""The published search for attention that differs most while the output stays (Alg. 3)."""

import dataclasses
from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax
from jax import Array
from jaxtyping import Bool, Float, Key

from attn_jax import divergences, masking, outputs
from attn_jax.divergences import xlogx
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

    def candidates(scores: Float[Array, "R T"]) -> tuple[Array, Array]:
        found = jax.vmap(masking.softmax, (0, None))(scores, mask)
        after = outputs.probabilities(jax.vmap(decode)(found))
        return found, jax.vmap(divergences.tvd, (0, None))(after, before)

    def loss(scores: Float[Array, "R T"]) -> Float[Array, ""]:
        found, change = candidates(scores)
        excess = jax.nn.relu(change - epsilon)
        weight = search.penalty if search.released else search.penalty / search.restarts
        return weight * excess.sum() - _away(found, alpha) - _diversity(found, search.released)

    def step(carry, _):
        scores, state = carry
        updates, state = transform.update(jax.grad(loss)(scores), state)
        return (scores + updates, state), None

    (scores, _), _ = jax.lax.scan(step, (start, transform.init(start)), None, length=search.steps)
    return _best(*candidates(scores), alpha, mask, epsilon)


def _away(found: Float[Array, "R T"], alpha: Float[Array, "T"]) -> Float[Array, ""]:
    """First term of Eq. 2: the sum of JSD(found, alpha), as sums of x(v) = v ln v: one logarithm each.

    JSD(p, q) = sum of (x(p) + x(q)) / 2 - x((p + q) / 2).
    """
    own = xlogx(found).sum() + found.shape[0] * xlogx(alpha).sum()
    return 0.5 * own - xlogx(0.5 * (found + alpha[None])).sum()


def _diversity(found: Float[Array, "R T"], released: bool) -> Float[Array, ""]:
    """Second term of Eq. 2: sum over i < j of JSD / (k(k-1)); each pair is computed once.

    The released code takes the mean over all k x k pairs: twice the sum over k^2.
    """
    k = found.shape[0]
    total = 0.5 * (k - 1) * xlogx(found).sum()
    for shift in range(1, k // 2 + 1):
        # Each pair meets at one shift, at half of an even k twice; rolls have no scatter in their gradient.
        middle = xlogx(0.5 * (found + jnp.roll(found, shift, 0))).sum()
        total = total - (0.5 if 2 * shift == k else 1.0) * middle
    return 2 * total / k**2 if released else total / max(k * (k - 1), 1)


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
