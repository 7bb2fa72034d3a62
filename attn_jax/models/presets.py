"""Models by name, at the sizes of the paper (default) or of the released code (DECISIONS 12)."""

import dataclasses
from collections.abc import Callable, Mapping

import flax.linen as nn
import jax
import jax.numpy as jnp
from jax import Array

from attn_jax.errors import UserError
from attn_jax.models import attentions, encoders
from attn_jax.models.classifier import SequenceClassifier
from attn_jax.models.hierarchical import HierarchicalClassifier
from attn_jax.models.layers import TokenEmbedding
from attn_jax.models.orthogonal import OrthogonalBiLSTM
from attn_jax.models.pair import PairClassifier, ReleasedPairClassifier
from attn_jax.models.rocktaschel import RocktaschelClassifier


@dataclasses.dataclass(frozen=True)
class Sizes:
    """Widths of embedding and encoders."""

    embedding: int = 300
    bilstm: int = 128  # a direction
    filters: int = 64  # of each of the four widths
    average: int = 256
    activation: Callable[[Array], Array] = jax.nn.relu


PAPER = Sizes()
RELEASED = Sizes(filters=32, average=128, activation=jnp.tanh)
BABI = Sizes(embedding=50, bilstm=30, filters=8, average=60)
# One width for all there: the Average encoder's is that of one direction.
RELEASED_BABI = dataclasses.replace(BABI, average=30, activation=jnp.tanh)
TUTEK_SNAJDER = Sizes(bilstm=150)  # states as wide as the word vectors: their Table 4
YANG = Sizes(embedding=200, bilstm=50)  # Yang et al. (2016), recalled: words 200, GRU 50 a direction

ATTENTIONS: Mapping[str, Callable[[], nn.Module]] = {
    "additive": attentions.Additive,
    "dot": attentions.Dot,
    "dot_small_start": attentions.SmallStartDot,
    "dot_sharp": attentions.SharpDot,
    "uniform": attentions.Uniform,
    "random": attentions.Random,
    "permuted": lambda: attentions.Permuted(attentions.Additive()),
    "given": attentions.Given,
}
ENCODERS: Mapping[str, Callable[[Sizes], nn.Module]] = {
    "bilstm": lambda sizes: encoders.BiLSTM(sizes.bilstm),
    "cnn": lambda sizes: encoders.CNN(sizes.filters),
    "average": lambda sizes: encoders.Average(sizes.average, sizes.activation),
    "orthogonal_bilstm": lambda sizes: OrthogonalBiLSTM(sizes.bilstm),
    # No context (Wiegreffe & Pinter 2019, the diagnostic MLP): as wide as one direction of the BiLSTM.
    "token_mlp": lambda sizes: encoders.Average(sizes.bilstm, jnp.tanh),
    # The names of Tutek & Snajder's Table 6.
    "bilstm_1_layers": lambda sizes: encoders.BiLSTM(sizes.bilstm),
    "bilstm_2_layers": lambda sizes: encoders.BiLSTM(sizes.bilstm, layers=2),
    "bilstm_3_layers": lambda sizes: encoders.BiLSTM(sizes.bilstm, layers=3),
}


def named(kind: str, name: str, choices: Mapping[str, Callable]) -> Callable:
    """The choice called `name`; a wrong name lists the right ones."""
    if name not in choices:
        raise UserError(f"There is no {kind} called {name!r}: choose one of {', '.join(choices)}.")
    return choices[name]


def classifier(
    encoder: str, attention: str, *, words: int, classes: int, sizes: Sizes = PAPER
) -> SequenceClassifier:
    """A single-sequence model by the names of its parts."""
    return SequenceClassifier(
        TokenEmbedding(words, sizes.embedding),
        named("encoder", encoder, ENCODERS)(sizes),
        named("attention", attention, ATTENTIONS)(),
        classes,
    )


def pair(
    encoder: str, attention: str, *, words: int, classes: int, sizes: Sizes = PAPER, released: bool = False
) -> PairClassifier:
    """A two-sequence model by the names of its parts.

    `released` is J&W's code: its own decoder, and an encoder there owns its embedding, so that the question
    has word vectors of its own.
    """
    encode = named("encoder", encoder, ENCODERS)
    return (ReleasedPairClassifier if released else PairClassifier)(
        TokenEmbedding(words, sizes.embedding),
        encode(sizes),
        encode(sizes),
        named("attention", attention, ATTENTIONS)(),
        classes,
        TokenEmbedding(words, sizes.embedding) if released else None,
    )


def rocktaschel(
    attention: str = "additive", *, words: int, classes: int, sizes: Sizes = PAPER
) -> RocktaschelClassifier:
    """The pair model with conditional encoding, two BiLSTMs of one size."""
    return RocktaschelClassifier(
        TokenEmbedding(words, sizes.embedding),
        encoders.BiLSTM(sizes.bilstm),
        encoders.BiLSTM(sizes.bilstm),
        named("attention", attention, ATTENTIONS)(),
        classes,
    )


def hierarchical(
    attention: str = "additive", *, words: int, classes: int, sizes: Sizes = YANG
) -> HierarchicalClassifier:
    """Words to sentences to a document, one kind of attention at both levels."""
    attend = named("attention", attention, ATTENTIONS)
    return HierarchicalClassifier(
        TokenEmbedding(words, sizes.embedding),
        encoders.BiLSTM(sizes.bilstm),
        attend(),
        encoders.BiLSTM(sizes.bilstm),
        attend(),
        classes,
    )
