"""Tiny models of every family, and batches with every kind of row, for the laws that hold for all."""

import itertools
import zlib

import jax
import jax.numpy as jnp
import numpy as np

from attn_jax.models import attentions, encoders
from attn_jax.models.classifier import SequenceClassifier
from attn_jax.models.layers import TokenEmbedding
from attn_jax.models.pair import PairClassifier, ReleasedPairClassifier
from attn_jax.models.rocktaschel import RocktaschelClassifier
from attn_jax.types import Example

WORDS, E, T = 11, 4, 7
LENGTHS = (0, 1, 3, T - 2)  # attendable tokens: an all-padding row, a single token, some, a full bucket

ENCODERS = {
    "bilstm": encoders.BiLSTM(2),
    "bilstm2": encoders.BiLSTM(2, layers=2),
    "cnn": encoders.CNN(2),
    "average": encoders.Average(4),
}
ATTENTIONS = {
    "additive": attentions.Additive(),
    "dot": attentions.Dot(),
    "uniform": attentions.Uniform(),
    "random": attentions.Random(),
    "given": attentions.Given(),
}
WRAPPED = {"permuted": attentions.Permuted(attentions.Additive())}


def _classifier(encoder, attention, classes):
    return SequenceClassifier(
        TokenEmbedding(WORDS, E), ENCODERS[encoder], (ATTENTIONS | WRAPPED)[attention], classes
    )


def _pair(encoder, attention, family=PairClassifier):
    # Flax shares the weights of a module that stands in two fields: the second one is a copy.
    passage, question = ENCODERS[encoder], ENCODERS[encoder].clone()
    own = TokenEmbedding(WORDS, E) if family is ReleasedPairClassifier else None
    return family(TokenEmbedding(WORDS, E), passage, question, ATTENTIONS[attention], 3, own)


MODELS = {
    f"{encoder}-{attention}": _classifier(encoder, attention, 2)
    for encoder, attention in itertools.product(ENCODERS, ATTENTIONS)
}
MODELS |= {
    "average-permuted": _classifier("average", "permuted", 2),
    "bilstm-additive-3": _classifier("bilstm", "additive", 3),
    "pair-bilstm-additive": _pair("bilstm", "additive"),
    "pair-bilstm-dot": _pair("bilstm", "dot"),
    "pair-cnn-additive": _pair("cnn", "additive"),
    "pair-average-dot": _pair("average", "dot"),
    "released-pair-bilstm-additive": _pair("bilstm", "additive", ReleasedPairClassifier),
    "rocktaschel-additive": _pair("bilstm", "additive", RocktaschelClassifier),
    "rocktaschel2-dot": _pair("bilstm2", "dot", RocktaschelClassifier),
}
# For laws whose programs are costly to compile: one of each kind.
SOME = {
    name: MODELS[name]
    for name in (
        "bilstm-additive",
        "cnn-dot",
        "average-additive",
        "bilstm-additive-3",
        "pair-bilstm-dot",
        "released-pair-bilstm-additive",
        "rocktaschel-additive",
    )
}


def batch(length: int = T, seed: int = 0) -> Example:
    """One row per entry of LENGTHS, padded to `length`; random words, both sequences, given attention."""
    rng = np.random.default_rng(seed)
    sizes = np.array(LENGTHS)[:, None]
    place = np.arange(length)[None]
    real = np.where(sizes > 0, sizes + 2, 0)
    ids = rng.integers(4, WORDS, (len(LENGTHS), T))
    ids = np.pad(ids, ((0, 0), (0, length - T))) * (place < real)
    given = np.pad(rng.uniform(size=(len(LENGTHS), T)), ((0, 0), (0, length - T)))
    return Example(
        ids=ids.astype(np.int32),
        valid=place < real,
        attendable=(place > 0) & (place < real - 1),
        label=np.array([0, 1, 0, 1], np.int32),
        weight=(sizes[:, 0] > 0).astype(np.float32),
        index=np.arange(len(LENGTHS), dtype=np.int32),
        question_ids=rng.integers(4, WORDS, (len(LENGTHS), 4)).astype(np.int32),
        question_valid=np.arange(4)[None] < rng.integers(1, 5, (len(LENGTHS), 1)),
        choices=np.ones((len(LENGTHS), 3), bool),
        given=given.astype(np.float32),
        rationale=(place == 1) & (sizes > 0),
    )


def row(rows: Example, i: int) -> Example:
    """One example of a batch."""
    return jax.tree.map(lambda a: jnp.asarray(a[i]), rows)


_PARAMS = {}


def params_of(model, seed: int = 0):
    """Initial parameters, scaled up so that attention and outputs are far from uniform."""
    if (model, seed) not in _PARAMS:
        drawn = model.init_params(jax.random.key(seed + zlib.crc32(repr(model).encode())), row(batch(), 3))
        _PARAMS[model, seed] = jax.tree.map(lambda a: 2.0 * a, drawn)
    return _PARAMS[model, seed]
