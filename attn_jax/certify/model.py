"""All certificates of one example of a model, and the weaker ones of a model that is not affine in alpha."""

from typing import ClassVar, NamedTuple, Protocol, runtime_checkable

import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike
from jaxtyping import Bool, Float

from attn_jax.certify import door, reach, slab, vertices
from attn_jax.certify.adversary import MaxJsd, bracket, max_jsd
from attn_jax.certify.farthest import distance_to
from attn_jax.certify.flip import MinimalFlip, minimal_flip
from attn_jax.certify.permuted import permuted_jsd
from attn_jax.certify.ranges import PermutationRange, permutation_range
from attn_jax.outputs import probabilities
from attn_jax.types import Evidence


@runtime_checkable
class Decoder(Protocol):
    """Anything that says whether its logits are `alpha @ token_logits` for every alpha of sum 1."""

    affine: ClassVar[bool]


class Certificates(NamedTuple):
    """What can be vouched for with the states held fixed.

    `exact` says whether `max_jsd` is the optimum up to rounding; where it is False, `max_jsd.jsd` and
    `max_jsd.upper_bound` are bounds on it. The range of permutations and the smallest flip are exact where
    present; for a decoder that is not affine, evidence alone says nothing of them and they are None.
    A large JSD alone proves little: read it beside `permuted_jsd`, `null_jsd` and `jsd_curve`.
    """

    exact: Bool[Array, ""]
    max_jsd: MaxJsd
    permuted_jsd: MaxJsd | None
    permutation_range: PermutationRange | None
    minimal_flip: MinimalFlip | None


def of(model: Decoder, evidence: Evidence, epsilon: ArrayLike = 0.01) -> Certificates:
    """The certificates of one example. Affine decoders with C <= 2 get the optimum, others bounds."""
    if not model.affine:
        return Certificates(jnp.asarray(False), _single_tokens(evidence, epsilon), None, None, None)
    instance = evidence.alpha, evidence.token_logits, evidence.encoded.mask
    return Certificates(
        jnp.asarray(evidence.token_logits.shape[1] <= 2),
        max_jsd(*instance, epsilon),
        permuted_jsd(*instance, epsilon),
        permutation_range(*instance),
        minimal_flip(*instance),
    )


def _single_tokens(evidence: Evidence, epsilon: ArrayLike) -> MaxJsd:
    """Bounds that hold for any decoder: token logits are its outputs at one-hot attention.

    Attained by the farthest single token whose own output is within epsilon. JSD is convex, so over the
    whole simplex no attention is farther than the farthest single token.
    """
    alpha, logits, mask = door.enter(evidence.alpha, evidence.token_logits, evidence.encoded.mask)
    radius = jnp.asarray(epsilon, alpha.dtype) - slab.rounding(logits)
    within = reach.Tolerance(probabilities(evidence.logits), radius)
    distances = jnp.where(mask, _distances(alpha), -jnp.inf)
    kept = jnp.where(reach.feasible(within, logits), distances, -jnp.inf)
    token = jnp.argmax(kept).astype(jnp.int32)
    single = vertices.point(vertices.Vertex(kept[token], token, token, jnp.ones((), alpha.dtype)), len(alpha))
    return bracket(alpha, jnp.where(kept[token] > 0, single, alpha), distances.max(), mask)


def _distances(alpha: Float[Array, "T"]) -> Float[Array, "T"]:
    """JSD(e_i, alpha) of every token."""
    distance, terms = distance_to(alpha)
    return distance(jnp.ones_like(alpha), terms, tuple(jnp.zeros_like(term) for term in terms))
