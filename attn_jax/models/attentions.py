"""Attention is a module field: anything that maps `Encoded` to alpha, 0 outside `encoded.mask`.

Uniform, random, permuted and given attention are modules like the trained ones, never flags inside a model.
"""

import flax.linen as nn
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Key

from attn_jax import masking
from attn_jax.errors import UserError
from attn_jax.models import alterations
from attn_jax.models.layers import Linear, uniform_within
from attn_jax.types import Encoded


class Additive(nn.Module):
    """v . tanh(W1 h + W2 Q), W: H -> H/2, v without bias (Bahdanau et al. 2014; J&W section 2)."""

    @nn.compact
    def __call__(self, encoded: Encoded) -> Float[Array, "T"]:
        """Softmax of the scores over the attendable tokens."""
        features = encoded.states.shape[-1] // 2
        hidden = Linear(features, name="states")(encoded.states)
        if encoded.query is not None:
            hidden = hidden + Linear(features, use_bias=False, name="query")(encoded.query)[None]
        scores = Linear(1, use_bias=False, name="score")(jnp.tanh(hidden))[:, 0]
        return masking.softmax(scores, encoded.mask)


class Dot(nn.Module):
    """h . Q / sqrt(H) (Vaswani et al. 2017; J&W section 2).

    Without a second sequence Q is learned, from N(0, 1): with a smaller start attention collapses to
    uniform (Tutek & Snajder 2020, appendix C), see `SmallStartDot`.
    """

    @nn.compact
    def __call__(self, encoded: Encoded) -> Float[Array, "T"]:
        """Softmax of the scores over the attendable tokens."""
        features = encoded.states.shape[-1]
        query = encoded.query
        if query is None:
            query = self.param("query", self._start(features), (features,))
        return masking.softmax(encoded.states @ query / self._scale(features), encoded.mask)

    def _start(self, features: int) -> nn.initializers.Initializer:
        return nn.initializers.normal(1.0)

    def _scale(self, features: int) -> float:
        return features**0.5


class SmallStartDot(Dot):
    """`Dot` with the start that fails, PyTorch's default U(±1/sqrt(H)): here to show the collapse.

    Tutek & Snajder (2020), appendix C: the query is a linear layer there.
    """

    def _start(self, features: int) -> nn.initializers.Initializer:
        return uniform_within(features**-0.5)


class SharpDot(Dot):
    """`Dot` without its scale: what Tutek & Snajder's figures would be if their eq. 11 left it out."""

    def _scale(self, features: int) -> float:
        return 1.0


class Unscaled(nn.Module):
    """h . Q, without a scale or parameters (Luong et al. 2015, `dot`; Vashishth et al. 2019, 3.3)."""

    def __call__(self, encoded: Encoded) -> Float[Array, "T"]:
        """Softmax of the scores over the attendable tokens; states and query are of one width."""
        return masking.softmax(encoded.states @ jnp.asarray(encoded.query), encoded.mask)


class Uniform(nn.Module):
    """1/n on each attendable token."""

    def __call__(self, encoded: Encoded) -> Float[Array, "T"]:
        """No parameters, no look at the states."""
        return masking.uniform(encoded.mask)


class Random(nn.Module):
    """U(0, 1) on each attendable token, normalised (Vashishth et al. 2019, section 4.1).

    Draws from the Flax stream `attention`: a new key a batch in training, one per instance after it.
    """

    def __call__(self, encoded: Encoded) -> Float[Array, "T"]:
        """No parameters, no look at the states."""
        nothing = jnp.zeros(encoded.mask.shape)
        return alterations.random(self.make_rng("attention"), nothing, encoded.mask)


class Permuted(nn.Module):
    """Another attention's weights, shuffled over the attendable tokens at every call.

    Gradients follow each weight to its new place: unlike in Vashishth et al. (2019), section 4.1, a model
    can also be trained with it. Draws from the Flax stream `attention`.
    """

    inner: nn.Module

    def __call__(self, encoded: Encoded) -> Float[Array, "T"]:
        """The inner attention, looked up, then shuffled."""
        return alterations.permuted(self.make_rng("attention"), self.inner(encoded), encoded.mask)


class Given(nn.Module):
    """The attention that the example brings along, cut to the mask and normalised."""

    def __call__(self, encoded: Encoded) -> Float[Array, "T"]:
        """Reads `encoded.given`, which came with the example."""
        if encoded.given is None:
            raise UserError("`Given` attention needs examples that bring their own: set `Example.given`.")
        return masking.normalise(jnp.asarray(encoded.given), encoded.mask)


def drawn(module: nn.Module, encoded: Encoded, rng: Key[Array, ""] | None) -> Float[Array, "T"]:
    """A bound attention whose random draws, if any, come from `rng`: the same wherever it is repeated."""
    if rng is None or module.is_initializing():
        return module(encoded)
    return module.clone(parent=None).apply(module.variables, encoded, rngs={"attention": rng})  # pyright: ignore[reportReturnType]
