"""The pronoun task and the neutral sentences: what is marked is all that decides."""

import collections

from attn_jax.data.simulators import neutral
from attn_jax.data.simulators.pronouns import PRONOUNS, pronouns
from attn_jax.data.simulators.reviews import reviews

CORPUS = pronouns(0, train=300, dev=50, test=50)
ALL = [example for _, split in CORPUS.splits() for example in split]


def test_it_is_the_same_for_a_seed_and_no_text_is_in_two_splits():
    assert pronouns(0, train=300, dev=50, test=50) == CORPUS
    assert pronouns(1, train=300, dev=50, test=50) != CORPUS
    assert len({example.tokens for example in ALL}) == len(ALL)


def test_the_marked_tokens_are_the_pronouns_of_the_label():
    forms = [{pair[label] for pair in PRONOUNS.values()} for label in (0, 1)]
    for example in ALL:
        marked = {word for word, mark in zip(example.tokens, example.rationale, strict=True) if mark}
        assert marked
        assert marked <= forms[example.label]
        assert not marked & forms[1 - example.label]


def test_no_other_word_tells_the_label():
    counts = collections.Counter(
        (word, example.label)
        for example in pronouns(0).train
        for word, mark in zip(example.tokens, example.rationale, strict=True)
        if not mark
    )
    for word in {word for word, _ in counts}:
        one, other = counts[word, 0], counts[word, 1]
        assert abs(one - other) < 5 * (one + other) ** 0.5, word


def test_a_neutral_sentence_is_added_and_the_text_itself_is_marked():
    corpus = reviews(0, train=20, dev=5, test=5)
    longer = neutral.with_neutral(corpus)
    for before, after in zip(corpus.test, longer.test, strict=True):
        size = len(before.tokens)
        assert after.tokens[:size] == before.tokens
        assert after.rationale == (True,) * size + (False,) * (len(after.tokens) - size)
        assert len(after.tokens) > size + 4
        assert after.label == before.label
    assert "neutral" in longer.caveat
    assert neutral.with_neutral(corpus) == longer
