"""Copy, reverse and flip: the written word is the source word at the known place."""

import numpy as np
import pytest

from attn_jax.data.simulators.sequences import TASKS, bucket, order, sequences
from attn_jax.data.vocabulary import EOS, SOS, Vocabulary


@pytest.mark.parametrize(
    ("task", "places"), [("copy", (0, 1, 2)), ("reverse", (2, 1, 0)), ("flip", (1, 0, 2))]
)
def test_orders(task, places):
    assert order(task, 3) == places


@pytest.mark.parametrize("task", TASKS)
def test_every_word_stands_at_its_place_and_a_seed_repeats(task):
    corpus = sequences(task, 0, train=20, dev=5, test=5)
    assert corpus == sequences(task, 0, train=20, dev=5, test=5)
    for text in corpus.train:
        assert text.question == tuple(text.tokens[place] for place in order(task, len(text.tokens)))


def test_a_bucket_has_source_and_target_between_their_marks():
    texts = sequences("reverse", 0, train=3, dev=1, test=1, length=4).train
    rows = bucket(texts, Vocabulary.build(text.tokens for text in texts)).rows
    assert rows.ids.shape == rows.target_ids.shape == (3, 6)
    np.testing.assert_array_equal(rows.target_ids[:, 1:-1], rows.ids[:, 1:-1][:, ::-1])
    assert (rows.ids[:, 0] == SOS).all()
    assert (rows.target_ids[:, -1] == EOS).all()
    np.testing.assert_array_equal(rows.attendable[0], [0, 1, 1, 1, 1, 0])
