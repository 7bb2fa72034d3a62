"""Sentence pairs: subwords that give back what they took, and buckets that hold both sides."""

import numpy as np
import pytest

from attn_jax.data.examples import TextExample
from attn_jax.data.translation import Languages, pair_buckets, source_buckets, source_text, target_text
from attn_jax.data.vocabulary import EOS, PAD, SOS, SPECIAL
from attn_jax.errors import UserError

PAIRS = [
    TextExample("a", ("Two", "dogs", "run."), 0, ("Zwei", "Hunde", "laufen.")),
    TextExample("b", ("A", "dog", "runs", "on", "the", "beach."), 0, ("Ein", "Hund", "läuft.")),
    TextExample(
        "c",
        ("Two", "dogs", "run", "on", "the", "beach", "and", "two", "dogs", "run", "on"),
        0,
        ("Zwei", "Hunde."),
    ),
]


@pytest.fixture(scope="module")
def languages():
    return Languages.train(PAIRS * 3, 80)


def test_a_sentence_comes_back(languages):
    for pair in PAIRS:
        ids = languages.target.encode(target_text(pair))
        assert ids[0] == SOS
        assert ids[-1] == EOS
        assert languages.target.decode(ids) == target_text(pair)
        assert languages.target.decode([*ids, 7, 8]) == target_text(pair)  # nothing counts behind EOS


def test_special_pieces_are_those_of_every_vocabulary(languages):
    assert tuple(languages.source.pieces(range(4))) == SPECIAL
    assert len(languages.source) <= 80


def test_equal_texts_give_equal_vocabularies(languages):
    assert Languages.train(PAIRS * 3, 80) == languages


def test_buckets_hold_both_sides(languages):
    seen = {}  # a rung so much longer that short pairs are not folded into it
    for bucket in pair_buckets(PAIRS, languages, (12, 1024)):
        rows = bucket.rows
        assert rows.ids.shape == rows.target_ids.shape
        for i, index in enumerate(rows.index):
            pair = PAIRS[index]
            seen[index] = rows.ids.shape[1]
            assert rows.ids[i][rows.valid[i]].tolist() == languages.source.encode(source_text(pair))
            assert rows.target_ids[i][rows.target_valid[i]].tolist() == languages.target.encode(
                target_text(pair)
            )
            assert (rows.ids[i][~rows.valid[i]] == PAD).all()
    assert set(seen) == {0, 1, 2}
    assert seen[2] > seen[0]


def test_shapes_for_writing_know_nothing_of_the_reference(languages):
    others = [TextExample(p.id, p.tokens, 0, ("x",) * 90) for p in PAIRS]
    for ours, same in zip(source_buckets(PAIRS, languages), source_buckets(others, languages), strict=True):
        np.testing.assert_array_equal(ours.rows.ids, same.rows.ids)
        assert ours.rows.target_ids.tolist() == same.rows.target_ids.tolist() == [[SOS]] * len(ours)


def test_a_sentence_beyond_the_last_rung_is_named(languages):
    with pytest.raises(UserError, match="Instance c"):
        pair_buckets(PAIRS, languages, (12,))
