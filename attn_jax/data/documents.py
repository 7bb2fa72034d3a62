"""Documents for hierarchical models: sentences as rows [M, T], in buckets of a few static shapes.

No SOS or EOS: a sentence is its words, and attention may look at all of them (Yang et al. 2016).
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from attn_jax.data.batching import Bucket
from attn_jax.data.examples import TextExample
from attn_jax.data.shapes import SPARED, Shape, gathered
from attn_jax.data.vocabulary import PAD, Vocabulary
from attn_jax.errors import UserError
from attn_jax.types import Example

ENDS = frozenset((".", "!", "?"))
WORD_LADDER = (16, 32, 64)
SENTENCE_LADDER = (1, 4, 8, 16, 32, 64, 128, 256)
# For small runs, where compiling a shape costs more than the padding it saves.
COARSE_LADDERS = {"words": (32, 64), "most": (8, 64, 256)}

Spans = list[tuple[int, int]]  # where each sentence begins and ends in its text


def sentences(tokens: Sequence[str], longest: int = WORD_LADDER[-1]) -> Spans:
    """Spans of the sentences: each ends with its closing . ! ? tokens, or at `longest` words.

    The cap keeps one unpunctuated passage from widening a whole document's rows.
    """
    spans, start = [], 0
    for i, token in enumerate(tokens):
        last = i + 1 == len(tokens)
        closes = token in ENDS and not last and tokens[i + 1] not in ENDS
        if last or closes or i + 1 - start == longest:
            spans.append((start, i + 1))
            start = i + 1
    return spans


def bucketise_documents(
    examples: Sequence[TextExample],
    vocabulary: Vocabulary,
    *,
    words: Sequence[int] = WORD_LADDER,
    most: Sequence[int] = SENTENCE_LADDER,
    spared: int = SPARED,
) -> list[Bucket]:
    """Sorts every document into the smallest shape (sentences, words) that holds it."""
    split = [sentences(example.tokens, words[-1]) for example in examples]
    needed = []
    for example, spans in zip(examples, split, strict=True):
        widest = max((end - start for start, end in spans), default=0)
        needed.append((_sentence_rung(len(spans), most, example.id), min(n for n in words if n >= widest)))
    return [
        Bucket(_stack([examples[i] for i in rows], [split[i] for i in rows], rows, shape, vocabulary))
        for shape, rows in gathered(needed, math.prod, spared).items()
    ]


def _sentence_rung(count: int, ladder: Sequence[int], name: str) -> int:
    for rung in ladder:
        if count <= rung:
            return rung
    raise UserError(
        f"Document {name} has {count} sentences, but the largest bucket holds {ladder[-1]}: shorten it, or "
        "pass a longer ladder."
    )


def _stack(
    examples: Sequence[TextExample],
    split: Sequence[Spans],
    rows: Sequence[int],
    shape: Shape,
    vocabulary: Vocabulary,
) -> Example:
    texts = [vocabulary.encode(example.tokens)[1:-1] for example in examples]  # without SOS and EOS
    ids = _lay(texts, split, shape, np.int32)
    flags = [example.rationale for example in examples]
    return Example(
        ids=ids,
        valid=ids != PAD,
        attendable=ids != PAD,
        label=np.array([example.label for example in examples], np.int32),
        weight=np.ones(len(examples), np.float32),
        index=np.array(rows, np.int32),
        rationale=None if any(f is None for f in flags) else _lay(flags, split, shape, np.bool_),
    )


def _lay(values: Sequence[Any], split: Sequence[Spans], shape: Shape, dtype: Any) -> np.ndarray:
    """One value a token to [documents, M, T], 0 on padding."""
    laid = np.zeros((len(values), *shape), dtype)
    for document, text, spans in zip(laid, values, split, strict=True):
        for row, (start, end) in zip(document, spans, strict=False):  # rows beyond the spans are padding
            row[: end - start] = text[start:end]
    return laid
