"""Sentence pairs in a few static shapes: one bucket a rung, which holds the longer of the two sides."""

import dataclasses
from collections.abc import Sequence

import numpy as np

from attn_jax.data.batching import Bucket, pad, rung
from attn_jax.data.examples import TextExample
from attn_jax.data.shapes import gathered
from attn_jax.data.subwords import Subwords
from attn_jax.data.vocabulary import SOS
from attn_jax.types import Example

# Sentences are short and many: finer steps than for documents, as every padded word costs a softmax.
RUNGS = (12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256)
# For small runs, where compiling a rung costs more than the padding it saves.
COARSE_RUNGS = (64, 256)


@dataclasses.dataclass(frozen=True)
class Languages:
    """The pieces of the source and of the target."""

    source: Subwords
    target: Subwords

    @classmethod
    def train(cls, pairs: Sequence[TextExample], size: int) -> "Languages":
        """At most `size` pieces a language, from these pairs."""
        return cls(
            Subwords.train((source_text(pair) for pair in pairs), size),
            Subwords.train((target_text(pair) for pair in pairs), size),
        )


def source_text(pair: TextExample) -> str:
    """The sentence to be translated."""
    return " ".join(pair.tokens)


def target_text(pair: TextExample) -> str:
    """Its translation."""
    return " ".join(pair.question or ())


def pair_buckets(
    pairs: Sequence[TextExample], languages: Languages, rungs: Sequence[int] = RUNGS
) -> list[Bucket]:
    """Both sides, for training and for scoring under teacher forcing."""
    sources = [languages.source.encode(source_text(pair)) for pair in pairs]
    targets = [languages.target.encode(target_text(pair)) for pair in pairs]
    longest = [max(len(s), len(t)) for s, t in zip(sources, targets, strict=True)]
    return _buckets(pairs, sources, targets, longest, rungs)


def source_buckets(
    pairs: Sequence[TextExample], languages: Languages, rungs: Sequence[int] = RUNGS
) -> list[Bucket]:
    """The source and SOS, for writing: shapes know nothing of the reference."""
    sources = [languages.source.encode(source_text(pair)) for pair in pairs]
    return _buckets(pairs, sources, [[SOS]] * len(pairs), [len(ids) for ids in sources], rungs)


def _buckets(
    pairs: Sequence[TextExample],
    sources: Sequence[list[int]],
    targets: Sequence[list[int]],
    lengths: Sequence[int],
    rungs: Sequence[int],
) -> list[Bucket]:
    needed = [(rung(length, rungs, pair.id),) for length, pair in zip(lengths, pairs, strict=True)]
    return [
        Bucket(_rows([sources[i] for i in rows], [targets[i] for i in rows], rows, length))
        for (length,), rows in gathered(needed).items()
    ]


def _rows(
    sources: Sequence[list[int]], targets: Sequence[list[int]], rows: Sequence[int], length: int
) -> Example:
    """EOS of the source can be attended to: what is not to be written has to look somewhere."""
    room = max(map(len, targets)) if targets[0] == [SOS] else length
    ids, target_ids = pad(sources, length), pad(targets, room)
    valid = _within(sources, length)
    return Example(
        ids=ids,
        valid=valid,
        attendable=valid,
        label=np.zeros(len(rows), np.int32),
        weight=np.ones(len(rows), np.float32),
        index=np.array(rows, np.int32),
        target_ids=target_ids,
        target_valid=_within(targets, room),
    )


def _within(sequences: Sequence[list[int]], length: int) -> np.ndarray:
    return np.arange(length)[None] < np.array([len(ids) for ids in sequences])[:, None]
