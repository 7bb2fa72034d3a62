"""From texts to a few static shapes: length buckets, padded batches, chunks of stacked batches.

A training batch's shape depends on the batch size and on the ladder of lengths: a short batch is filled with
rows of weight 0, and only a bucket that would not half fill one has a smaller (`epochs`). Analyses divide a
bucket evenly (`at_once`).
"""

import dataclasses
from collections.abc import Iterator, Sequence

import jax
import numpy as np

from attn_jax.data.examples import TextExample
from attn_jax.data.shapes import SPARED, gathered
from attn_jax.data.vocabulary import PAD, Vocabulary
from attn_jax.errors import UserError
from attn_jax.types import Example

# Each rung is at most 1.5 times the one before: padding costs at worst a third of a bucket's work.
LADDER = (
    *(16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768),
    *(1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288),
)
# For small runs, where compiling a rung costs more than the padding it saves.
COARSE_LADDER = (48, 192, 768, 3072, 12288)
# Instances, and tokens of them, that a device analyses at once.
MOST_AT_ONCE, TOKENS_AT_ONCE = 32, 6144


@dataclasses.dataclass(frozen=True)
class Bucket:
    """All instances of one padded length, stacked; `rows.index` says where each came from."""

    rows: Example

    def __len__(self) -> int:
        return len(self.rows.label)

    def take(self, positions: np.ndarray) -> Example:
        """Rows by position, any shape; position -1 is a row of padding with weight 0."""
        real = positions >= 0
        taken = jax.tree.map(lambda a: a[np.maximum(positions, 0)], self.rows)
        # Documents have a sentence axis before the words'.
        hidden = real.reshape(real.shape + (1,) * (taken.valid.ndim - real.ndim))
        return taken.replace(
            valid=taken.valid & hidden,
            attendable=taken.attendable & hidden,
            weight=taken.weight * real,
        )

    def by_length(self) -> "Bucket":
        """The same rows, the shortest first: the texts of a batch then end nearly together."""
        lengths = self.rows.valid.reshape(len(self), -1).sum(-1)
        return Bucket(self.take(np.argsort(lengths, kind="stable")))


def bucketise(
    examples: Sequence[TextExample],
    vocabulary: Vocabulary,
    classes: int,
    ladder: Sequence[int] = LADDER,
    spared: int = SPARED,
) -> list[Bucket]:
    """Encodes every text and sorts it into the shortest rung that holds it (SOS and EOS included).

    SOS and EOS go through the encoder, attention never looks at them (J&W's released code). Second
    sequences have rungs of their own, every other one of the ladder: one long hypothesis among thousands
    would otherwise set the length of all. Rungs that hold little are folded into longer ones (`shapes`).
    """
    coarse = sorted({*ladder[::2], ladder[-1]})
    encoded = [vocabulary.encode(example.tokens) for example in examples]
    asked = [None if e.question is None else vocabulary.encode(e.question) for e in examples]
    needed = [
        (rung(len(text), ladder, e.id), 0 if question is None else rung(len(question), coarse, e.id))
        for e, text, question in zip(examples, encoded, asked, strict=True)
    ]
    return [
        Bucket(
            _stack(
                *([examples[i] for i in rows], [encoded[i] for i in rows], rows, length),
                pad([asked[i] or () for i in rows], second) if second else None,
                classes,
            )
        )
        for (length, second), rows in gathered(needed, spared=spared).items()
    ]


def batches(bucket: Bucket, size: int) -> Iterator[Example]:
    """The bucket in order, in batches of `size`, the last one filled up with padding rows."""
    for start in range(0, len(bucket), size):
        yield bucket.take(fill(np.arange(start, min(start + size, len(bucket))), size))


def at_once(bucket: Bucket, devices: int = 1) -> int:
    """How many instances of a bucket so many devices analyse at once, all its batches alike.

    Fewer of long texts: the gates of more tokens would leave a core's cache. Batches are as even as they can
    be, because rows that only fill up the last one cost as much as texts.
    """
    most = devices * max(1, min(MOST_AT_ONCE, TOKENS_AT_ONCE // bucket.rows.ids[0].size))
    number = -(-len(bucket) // most)
    return devices * -(-len(bucket) // (number * devices))


def fill(positions: np.ndarray, size: int) -> np.ndarray:
    """Positions lengthened to `size` with -1, the row of padding."""
    return np.pad(positions, (0, size - len(positions)), constant_values=-1)


def rung(length: int, ladder: Sequence[int], name: str) -> int:
    """The shortest padded length that holds so many tokens of the instance called `name`."""
    for step in ladder:
        if length <= step:
            return step
    raise UserError(
        f"Instance {name} has {length} tokens, SOS and EOS included, but the longest bucket holds "
        f"{ladder[-1]}: shorten it, or pass a longer ladder."
    )


def pad(sequences: Sequence[Sequence[int]], length: int) -> np.ndarray:
    """Ids [B, length], PAD behind each sequence."""
    padded = np.full((len(sequences), length), PAD, np.int32)
    for row, ids in zip(padded, sequences, strict=True):
        row[: len(ids)] = ids
    return padded


def _stack(
    examples: Sequence[TextExample],
    encoded: Sequence[Sequence[int]],
    rows: Sequence[int],
    length: int,
    asked: np.ndarray | None,
    classes: int,
) -> Example:
    sizes = np.array([len(ids) for ids in encoded])[:, None]
    place = np.arange(length)[None]
    return Example(
        ids=pad(encoded, length),
        valid=place < sizes,
        attendable=(place > 0) & (place < sizes - 1),
        label=np.array([example.label for example in examples], np.int32),
        weight=np.ones(len(examples), np.float32),
        index=np.array(rows, np.int32),
        question_ids=asked,
        question_valid=None if asked is None else asked != PAD,
        choices=_choices(examples, classes),
        given=_token_wise([example.given for example in examples], length, np.float32),
        rationale=_token_wise([example.rationale for example in examples], length, bool),
    )


def _choices(examples: Sequence[TextExample], classes: int) -> np.ndarray | None:
    if examples[0].choices is None:
        return None
    allowed = np.zeros((len(examples), classes), bool)
    for row, example in zip(allowed, examples, strict=True):
        row[list(example.choices or ())] = True
    return allowed


def _token_wise(values: Sequence[Sequence | None], length: int, dtype: type) -> np.ndarray | None:
    """Values a token, shifted by one for SOS; None unless every instance has its own."""
    if any(row is None for row in values):
        return None
    filled = np.zeros((len(values), length), dtype)
    for row, own in zip(filled, values, strict=True):
        row[1 : 1 + len(own or ())] = own
    return filled
