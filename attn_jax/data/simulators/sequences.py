"""`copy`, `reverse`, `flip`: texts to be written again in a known order (Pruthi et al. 2020).

Which word of the source decides each word of the target is known exactly: the one that is copied.
"""

import random
from typing import Literal

import numpy as np

from attn_jax.data.batching import Bucket, pad
from attn_jax.data.examples import Corpus, TextExample
from attn_jax.data.vocabulary import Vocabulary
from attn_jax.types import Example

Task = Literal["copy", "reverse", "flip"]
TASKS: tuple[Task, ...] = ("copy", "reverse", "flip")
WORDS = tuple(f"w{number}" for number in range(20))


def order(task: Task, length: int) -> tuple[int, ...]:
    """For each word of the target the place of its source word; `flip` swaps neighbours, two by two."""
    if task == "copy":
        return tuple(range(length))
    if task == "reverse":
        return tuple(reversed(range(length)))
    even = length - length % 2  # an odd last word stays
    return tuple(place ^ 1 if place < even else place for place in range(length))


def sequences(
    task: Task, seed: int, train: int = 4000, dev: int = 200, test: int = 300, length: int = 8
) -> Corpus:
    """A corpus of the given sizes, the same for the same seed; `question` is the text to be written."""
    rng = random.Random(f"{task}/{seed}")
    places = order(task, length)

    def split(name: str, size: int) -> tuple[TextExample, ...]:
        sources = [tuple(rng.choices(WORDS, k=length)) for _ in range(size)]
        return tuple(
            TextExample(f"{task}/{name}/{i}", source, 0, question=tuple(source[place] for place in places))
            for i, source in enumerate(sources)
        )

    splits = {name: split(name, size) for name, size in (("train", train), ("dev", dev), ("test", test))}
    return Corpus(task, (), **splits, caveat="generated corpus")


def bucket(texts: tuple[TextExample, ...], vocabulary: Vocabulary) -> Bucket:
    """All texts in one shape: they are of one length."""
    sources = [vocabulary.encode(text.tokens) for text in texts]
    targets = [vocabulary.encode(text.question or ()) for text in texts]
    length, written = len(sources[0]), len(targets[0])
    words = (np.arange(length) > 0) & (np.arange(length) < length - 1)
    return Bucket(
        Example(
            ids=pad(sources, length),
            valid=np.ones((len(texts), length), bool),
            attendable=np.tile(words, (len(texts), 1)),
            label=np.zeros(len(texts), np.int32),
            weight=np.ones(len(texts), np.float32),
            index=np.arange(len(texts), dtype=np.int32),
            target_ids=pad(targets, written),
            target_valid=np.ones((len(texts), written), bool),
        )
    )
