"""`babi1`, `babi2`, `babi3`: our own simulator of the first three bAbI worlds.

Persons walk between places (task 1), carry objects (task 2) and one asks where an object was before
(task 3). A story is written in the original text format and read back by the loader of the published
files, so both go through the same code.

Differs from the published files: task 3 names the taking that put the object into the walker's hands
as its first supporting fact, where the published files name the latest taking or dropping.
"""

import itertools
import random
from collections.abc import Iterator
from typing import Literal

from attn_jax.data.examples import Corpus, TextExample
from attn_jax.data.loaders.babi import parse
from attn_jax.data.simulators.babi_world import PLACES, World
from attn_jax.data.text import TextRules, tidy

LABELS = PLACES
RULES = TextRules(tokeniser="words")
QUESTIONS = 5  # in a story, as published

# (before the first question, between two questions): the fewest and the most events of a story.
PACE = {1: ((2, 2), (2, 2)), 2: ((2, 14), (2, 4)), 3: ((20, 64), (2, 4))}


def story(rng: random.Random, task: int) -> list[str]:
    """One story in the original format."""
    world = World(rng, carrying=task > 1)
    lines: list[str] = []
    for question in range(QUESTIONS):
        for _ in range(rng.randint(*PACE[task][question > 0])):
            lines.append(f"{len(lines) + 1} {world.step(len(lines) + 1)}")
        while not (asked := world.ask(task)):
            lines.append(f"{len(lines) + 1} {world.step(len(lines) + 1)}")
        text, answer, facts = asked
        lines.append(f"{len(lines) + 1} {text} \t{answer}\t{' '.join(map(str, facts))}")
    return lines


def write(task: Literal[1, 2, 3], seed: int, split: str, questions: int) -> Iterator[str]:
    """The lines of a file with `questions` questions (the last story may end early)."""
    rng = random.Random(f"babi{task}/{seed}/{split}")
    asked = 0
    while asked < questions:
        for line in story(rng, task):
            yield line
            asked += "\t" in line
            if asked == questions:
                return


def _split(task: Literal[1, 2, 3], seed: int, split: str, questions: int) -> tuple[TextExample, ...]:
    numbered = zip(itertools.count(1), write(task, seed, split, questions))
    ids = {place: i for i, place in enumerate(LABELS)}
    examples = (tidy(raw, RULES) for raw in parse(numbered, ids, f"babi{task}.{split}"))
    return tuple(example for example in examples if example is not None)


def babi(task: Literal[1, 2, 3], seed: int, train: int = 8500, dev: int = 1500, test: int = 1000) -> Corpus:
    """A corpus with as many questions in each split, the same for the same seed.

    `tokens` is the story before the question, `question` the question, `label` the place, and
    `rationale` marks the tokens of the supporting sentences.
    """
    return Corpus(
        # Not the published name: records of a simulation must not join the published cells.
        f"babi{task}_simulated",
        LABELS,
        train=_split(task, seed, "train", train),
        dev=_split(task, seed, "dev", dev),
        test=_split(task, seed, "test", test),
        caveat="simulated, not the published files",
    )
