"""The stories are replayed by an interpreter of our own, which shares nothing with the simulator."""

import itertools
import random
import re

import pytest

from attn_jax.data.simulators.babi import babi, story, write

MOVE = re.compile(r"(\w+) (?:moved|went|went back|travelled|journeyed) to the (\w+)\.")
TAKE = re.compile(r"(\w+) (?:took|got|grabbed|picked up) the (\w+)(?: there)?\.")
DROP = re.compile(r"(\w+) (?:dropped|left|discarded|put down) the (\w+)(?: there)?\.")


def replay(sentences):
    """The places each person and object is known to have been at, in order, None where unknown."""
    trail, holder = {}, {}

    def at(who):
        return trail.get(who, [None])[-1]

    for sentence in sentences:
        if match := MOVE.fullmatch(sentence):
            who, place = match.groups()
            for what in [who, *(thing for thing, owner in holder.items() if owner == who)]:
                trail.setdefault(what, [at(what)]).append(place)
        elif match := TAKE.fullmatch(sentence):
            who, what = match.groups()
            holder[what] = who
            if at(who) and at(what) != at(who):
                trail.setdefault(what, []).append(at(who))
        elif match := DROP.fullmatch(sentence):
            who, what = match.groups()
            holder.pop(what, None)
            if at(who) and at(what) != at(who):
                trail.setdefault(what, []).append(at(who))
        else:
            raise AssertionError(sentence)
    return trail


def answer(sentences, question):
    trail = replay(sentences)
    if match := re.fullmatch(r"Where is (?:the )?(\w+)\?", question):
        return trail.get(match[1], [None])[-1]
    match = re.fullmatch(r"Where was the (\w+) before the (\w+)\?", question)
    places = trail.get(match[1], [])
    last = max((i for i, place in enumerate(places) if place == match[2]), default=0)
    return places[last - 1] if last else None


def questions(lines):
    facts = {}
    for line in lines:
        position, _, text = line.partition(" ")
        if position == "1":
            facts = {}
        if "\t" not in text:
            facts[int(position)] = text
            continue
        question, gold, support = text.split("\t")
        yield dict(facts), question.strip(), gold, sorted(map(int, support.split()))


@pytest.mark.parametrize("task", [1, 2, 3])
def test_answers_are_true_and_the_facts_suffice_and_are_needed(task):
    checked = 0
    for facts, question, gold, support in questions(write(task, 0, "train", 400)):
        assert answer(facts.values(), question) == gold
        assert len(support) == task
        assert answer([facts[i] for i in support], question) == gold
        for left_out in support:
            assert answer([facts[i] for i in support if i != left_out], question) != gold
        checked += 1
    assert checked == 400


@pytest.mark.parametrize(("task", "low", "high"), [(1, 30, 45), (2, 75, 115), (3, 240, 360)])
def test_the_corpus_is_tidy_and_about_as_long_as_the_published_one(task, low, high):
    corpus = babi(task, 1, train=200, dev=20, test=20)
    assert [len(split) for _, split in corpus.splits()] == [200, 20, 20]
    assert corpus.paired
    assert low < sum(len(example.tokens) for example in corpus.train) / 200 < high
    for example in corpus.train:
        assert len(example.rationale) == len(example.tokens)
        words = [token for token, mark in zip(example.tokens, example.rationale, strict=True) if mark]
        assert words.count(".") == task
        assert corpus.labels[example.label] in words


def test_rationale_is_the_supporting_sentences_verbatim():
    corpus = babi(2, 5, train=50, dev=1, test=1)
    for example, (facts, question, gold, support) in zip(
        corpus.train, questions(write(2, 5, "train", 50)), strict=True
    ):
        expected = " ".join(facts[i] for i in support).lower().replace(".", " .").split()
        marked = [token for token, mark in zip(example.tokens, example.rationale, strict=True) if mark]
        assert marked == expected
        assert corpus.labels[example.label] == gold
        assert list(example.question) == question.lower().replace("?", " ?").split()


def test_the_seed_decides_and_any_size_is_a_prefix():
    short, long = list(write(3, 7, "dev", 3)), list(write(3, 7, "dev", 30))
    assert long[: len(short)] == short
    assert list(write(3, 8, "dev", 3)) != short
    assert list(write(3, 7, "test", 3)) != short


def test_every_story_counts_from_one():
    for task, seed in itertools.product((1, 2, 3), range(5)):
        numbers = [int(line.split()[0]) for line in story(random.Random(seed), task)]
        assert numbers == list(range(1, len(numbers) + 1))
