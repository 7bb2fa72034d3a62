from collections import Counter

import numpy as np
import pytest
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression

from attn_jax.data.simulators.review_grammar import OPINIONS
from attn_jax.data.simulators.reviews import reviews

POLARITY = {word: polarity for slot in OPINIONS.values() for polarity in (0, 1) for word in slot[polarity]}


@pytest.fixture(scope="module")
def corpus():
    return reviews(0)


def decisive(example):
    return [token for token, mark in zip(example.tokens, example.rationale, strict=True) if mark]


def test_sizes_balance_and_lengths(corpus):
    assert [len(split) for _, split in corpus.splits()] == [2000, 400, 500]
    assert {len(example.tokens) for example in corpus.train} <= set(range(8, 37))
    assert np.mean([example.label for example in corpus.test]) == 0.5


def test_the_marked_tokens_alone_decide_the_label(corpus):
    negated = 0
    for _, split in corpus.splits():
        for example in split:
            *negator, opinion = decisive(example)
            assert not set(negator) & set(POLARITY)
            negated += bool(negator)
            assert example.label == POLARITY[opinion] ^ bool(negator)
    assert 0.15 < negated / 2900 < 0.5


def test_distractors_say_nothing_about_the_label(corpus):
    agreement = [
        POLARITY[token] == example.label
        for example in corpus.train
        for token, mark in zip(example.tokens, example.rationale, strict=True)
        if token in POLARITY and not mark
    ]
    assert len(agreement) > 1000
    # Negated distractors included, so the expectation is one half by the independent coin.
    assert abs(np.mean(agreement) - 0.5) < 0.04


def test_a_bag_of_words_cannot_solve_it(corpus):
    counts = DictVectorizer()
    train = counts.fit_transform([Counter(example.tokens) for example in corpus.train])
    test = counts.transform([Counter(example.tokens) for example in corpus.test])
    model = LogisticRegression(max_iter=500).fit(train, [example.label for example in corpus.train])
    assert 0.55 < model.score(test, [example.label for example in corpus.test]) < 0.85


def test_no_text_is_in_two_splits(corpus):
    texts = [example.tokens for _, split in corpus.splits() for example in split]
    assert len(set(texts)) == len(texts)


def test_the_seed_decides():
    assert reviews(3, 20, 5, 5) == reviews(3, 20, 5, 5)
    assert reviews(3, 20, 5, 5).train != reviews(4, 20, 5, 5).train
    assert reviews(3, 40, 5, 5).train[:20] == reviews(3, 20, 5, 5).train
