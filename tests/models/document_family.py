"""Tiny hierarchical models and documents with every kind of sentence."""

import jax
import numpy as np

from attn_jax.models import attentions, encoders
from attn_jax.models.hierarchical import HierarchicalClassifier
from attn_jax.models.layers import TokenEmbedding
from attn_jax.types import Example
from tests.models.families import row

M, T, WORDS = 4, 5, 11
# Words in each sentence of each document: nothing, one word, an empty sentence inside, a full document.
DOCUMENTS = np.array([[0, 0, 0, 0], [1, 0, 0, 0], [3, 0, 2, 0], [2, 5, 1, 4]])


def documents(sentences=M, length=T):
    """The documents above, padded to more sentences and words if asked."""
    rng = np.random.default_rng(0)
    grow = ((0, 0), (0, sentences - M), (0, length - T))
    valid = np.pad(np.arange(T)[None, None] < DOCUMENTS[..., None], grow)
    return Example(
        ids=(np.pad(rng.integers(4, WORDS, (4, M, T)), grow) * valid).astype(np.int32),
        valid=valid,
        attendable=valid,
        label=np.array([0, 1, 0, 1], np.int32),
        weight=np.array([0, 1, 1, 1], np.float32),
        index=np.arange(4, dtype=np.int32),
    )


def han(word, sentence, classes=2):
    return HierarchicalClassifier(
        TokenEmbedding(WORDS, 4), encoders.BiLSTM(2), word, encoders.BiLSTM(2), sentence, classes
    )


MODELS = {
    "additive": han(attentions.Additive(), attentions.Additive()),
    "random-3": han(attentions.Random(), attentions.Random(), 3),
}
_PARAMS = {}


def params_of(model):
    if model not in _PARAMS:
        drawn = model.init_params(jax.random.key(1), row(documents(), 3))
        _PARAMS[model] = jax.tree.map(lambda a: 3.0 * a, drawn)
    return _PARAMS[model]
