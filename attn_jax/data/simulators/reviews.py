"""`reviews`: generated film reviews whose decisive tokens are known.

Every review holds exactly one verdict of its writer, and the verdict alone decides the label: its
opinion word and, where there is one, its negator ("not good" is negative because of both). All else is
there to mislead: other people's opinions, titles, concessions, hopes, and negations of neutral facts,
whose polarity is drawn independently of the label. A bag of words therefore sees much of the noise
and little of the structure, while a reader of word order can be right every time.
"""

import itertools
import random
from collections.abc import Iterator

from attn_jax.data.examples import Corpus, TextExample
from attn_jax.data.simulators import review_grammar as grammar

LABELS = ("negative", "positive")
LENGTHS = range(8, 37)

# A word and whether it is decisive.
Marked = tuple[str, bool]


def _words(rng: random.Random, template: str, polarity: bool, negated: bool, decisive: bool) -> list[Marked]:
    """Fills a template's slots; opinion and negator are marked where the clause is decisive."""
    negator = rng.choice(grammar.NEGATORS[_negator_kind(template)]) if negated else ""
    filled: list[Marked] = []
    for word in template.split():
        if word in grammar.NEGATED:
            filled += [(part, decisive) for part in negator.split()]
        elif word in grammar.OPINIONS:
            # A negated clause says the opposite of its opinion word.
            filled.append((rng.choice(grammar.OPINIONS[word][polarity != negated]), decisive))
        elif word in grammar.NEUTRAL:
            filled += [(part, False) for part in rng.choice(grammar.NEUTRAL[word]).split()]
        else:
            filled.append((word, False))
    return filled


def _negator_kind(template: str) -> str:
    """Which negators fit the template: after a form of be, or before a verb."""
    return "NOT_DO" if "NOT_DO" in template else "NOT_BE"


def _clause(rng: random.Random, templates: tuple[str, ...], polarity: bool, decisive: bool) -> list[Marked]:
    template = rng.choice(templates)
    negatable = any(slot in template for slot in grammar.NEGATED)
    negated = negatable and rng.random() < grammar.NEGATED_SHARE
    return _words(rng, template, polarity, negated, decisive)


def _review(rng: random.Random, label: int) -> list[Marked]:
    """One review: a frame that orders the verdict and its distractors."""
    review: list[Marked] = []
    for part in rng.choice(grammar.FRAMES).split():
        if part == "VERDICT":
            review += _clause(rng, grammar.VERDICTS, bool(label), decisive=True)
        elif part in grammar.DISTRACTORS:
            # A coin of its own: the distractor says nothing about the label.
            review += _clause(rng, grammar.DISTRACTORS[part], rng.random() < 0.5, decisive=False)
        else:
            review.append((part, False))
    return [(_article(word, following), mark) for (word, mark), (following, _) in _pairs(review)]


def _pairs(review: list[Marked]) -> Iterator[tuple[Marked, Marked]]:
    """Each word beside the next one, the last beside an empty one."""
    return itertools.pairwise([*review, ("", False)])


def _article(word: str, following: str) -> str:
    """Spells the indefinite article before a vowel."""
    return "an" if word == "a" and following[:1] in ("a", "e", "i", "o", "u") else word


def _distinct(rng: random.Random) -> Iterator[tuple[int, list[Marked]]]:
    """Endless reviews, balanced labels, no text twice: no split can leak into another."""
    seen: set[tuple[str, ...]] = set()
    for count in itertools.count():
        label = count % 2
        while True:
            review = _review(rng, label)
            text = tuple(word for word, _ in review)
            if len(review) in LENGTHS and text not in seen:
                break
        seen.add(text)
        yield label, review


def _split(source: Iterator[tuple[int, list[Marked]]], name: str, size: int) -> tuple[TextExample, ...]:
    examples = []
    for number, (label, review) in enumerate(itertools.islice(source, size)):
        tokens, rationale = zip(*review, strict=True)
        examples.append(TextExample(f"reviews/{name}/{number}", tokens, label, rationale=rationale))
    return tuple(examples)


def reviews(seed: int, train: int = 2000, dev: int = 400, test: int = 500) -> Corpus:
    """A corpus of the given sizes, the same for the same seed; the splits share no text.

    Labels are 0 negative, 1 positive, half each; `rationale` marks the decisive tokens exactly.
    """
    source = _distinct(random.Random(f"reviews/{seed}"))
    return Corpus(
        "reviews",
        LABELS,
        train=_split(source, "train", train),
        dev=_split(source, "dev", dev),
        test=_split(source, "test", test),
    )
