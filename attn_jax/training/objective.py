"""What training minimises: a sum of terms, each a function of one example's forward pass."""

import dataclasses
from collections.abc import Callable

import jax
import jax.numpy as jnp
import optax
from jax import Array
from jaxtyping import Float, Key

from attn_jax.models.seam import AttentiveModel, Pass
from attn_jax.types import Example, Params

Term = Callable[[AttentiveModel, Params, Example, Pass, Key[Array, ""]], Float[Array, ""]]


@dataclasses.dataclass(frozen=True)
class Likelihood:
    """Negative log-likelihood of the label; `positive_weight` is 1 in the paper.

    The released code of J&W weighs the positive class by N/N+ - 1.
    """

    positive_weight: float = 1.0

    def __call__(
        self, model: AttentiveModel, params: Params, example: Example, seen: Pass, rng: Array
    ) -> Array:
        """Binary cross-entropy for a single logit, cross-entropy above."""
        if seen.logits.shape[-1] > 1:
            return optax.softmax_cross_entropy_with_integer_labels(seen.logits, example.label)
        weight = jnp.where(example.label == 1, self.positive_weight, 1.0)
        label = example.label.astype(seen.logits.dtype)
        return weight * optax.sigmoid_binary_cross_entropy(seen.logits[0], label)


@dataclasses.dataclass(frozen=True)
class WordLikelihood:
    """Negative log-likelihood of a target text: the mean over its words, each given those before it.

    With `smoothing`, that share of the wanted probability is spread over all words (Szegedy et al. 2016).
    """

    smoothing: float = 0.0

    def __call__(
        self, model: AttentiveModel, params: Params, example: Example, seen: Pass, rng: Array
    ) -> Array:
        """Cross-entropy under teacher forcing; padding counts for nothing."""
        wanted, real = jnp.asarray(example.target_ids)[1:], jnp.asarray(example.target_valid)[1:]
        losses = optax.softmax_cross_entropy_with_integer_labels(seen.logits, wanted)
        if self.smoothing:
            spread = -jax.nn.log_softmax(seen.logits).mean(-1)
            losses = (1 - self.smoothing) * losses + self.smoothing * spread
        return jnp.where(real, losses, 0.0).sum() / jnp.maximum(real.sum(), 1)


@dataclasses.dataclass(frozen=True)
class Objective:
    """The mean over a batch's real rows of the sum of all terms. Hashable: equal ones share a compilation."""

    model: AttentiveModel
    terms: tuple[Term, ...] = (Likelihood(),)

    def __call__(self, params: Params, batch: Example, rng: Key[Array, ""]) -> Float[Array, ""]:
        """Loss of one batch."""
        rngs = jax.random.split(rng, batch.weight.shape[0])
        losses = jax.vmap(self._one, (None, 0, 0))(params, batch, rngs)
        return (losses * batch.weight).sum() / jnp.maximum(batch.weight.sum(), 1.0)

    def _one(self, params: Params, example: Example, rng: Key[Array, ""]) -> Float[Array, ""]:
        streams = dict(zip(("attention", "dropout", "term"), jax.random.split(rng, 3), strict=True))
        term_rng = streams.pop("term")
        seen = self.model.traverse(params, example, train=True, rngs=streams)
        parts = [
            term(self.model, params, example, seen, jax.random.fold_in(term_rng, i))
            for i, term in enumerate(self.terms)
        ]
        return jnp.stack(parts).sum()
