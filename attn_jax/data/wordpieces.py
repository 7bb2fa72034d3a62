"""Texts for BERT: WordPiece by `tokenizers`, [CLS] first text [SEP] second text [SEP], in length buckets."""

import pathlib
from collections.abc import Sequence

import numpy as np
import tokenizers
from tokenizers import models, normalizers, pre_tokenizers, processors

from attn_jax.data.batching import LADDER, Bucket, pad, rung
from attn_jax.data.examples import TextExample
from attn_jax.data.shapes import gathered
from attn_jax.errors import UserError
from attn_jax.types import Example

CLS, SEP, UNK = "[CLS]", "[SEP]", "[UNK]"


class WordPieces:
    """The vocabulary of a folder of BERT weights; longer texts are cut to `longest` pieces."""

    def __init__(self, folder: pathlib.Path, longest: int):
        self._tokenizer = _tokenizer(folder)
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(longest, strategy="longest_first")
        self.separator = self._id(folder, SEP)
        self._id(folder, CLS)

    def encode(self, example: TextExample) -> list[int]:
        """Ids with the special pieces around the texts."""
        second = None if example.question is None else " ".join(example.question)
        return self._tokenizer.encode(" ".join(example.tokens), second).ids

    def pieces(self, ids: Sequence[int]) -> list[str]:
        """The written form of each id."""
        return [self._tokenizer.id_to_token(int(i)) or "" for i in ids]

    def buckets(self, examples: Sequence[TextExample], ladder: Sequence[int] = LADDER) -> list[Bucket]:
        """Every text in the shortest rung that holds it; all its pieces can be attended to."""
        encoded = [self.encode(example) for example in examples]
        needed = [(rung(len(ids), ladder, e.id),) for ids, e in zip(encoded, examples, strict=True)]
        return [
            Bucket(_rows([encoded[i] for i in rows], [examples[i].label for i in rows], rows, length))
            for (length,), rows in gathered(needed).items()
        ]

    def _id(self, folder: pathlib.Path, piece: str) -> int:
        found = self._tokenizer.token_to_id(piece)
        if found is None:
            raise UserError(f"{folder}: its vocabulary has no {piece}; name a folder of BERT weights.")
        return found


def _tokenizer(folder: pathlib.Path) -> tokenizers.Tokenizer:
    """From tokenizer.json, or from vocab.txt alone as `bert-base-uncased` cuts text."""
    whole, words = folder / "tokenizer.json", folder / "vocab.txt"
    try:
        if whole.exists():
            return tokenizers.Tokenizer.from_file(str(whole))
        found = tokenizers.Tokenizer(models.WordPiece.from_file(str(words), unk_token=UNK))
    except Exception as error:  # the package raises bare exceptions
        raise UserError(f"cannot read {whole} or {words}: {error}; get the files anew.") from error
    found.normalizer = normalizers.BertNormalizer(lowercase=True)  # pyright: ignore
    found.pre_tokenizer = pre_tokenizers.BertPreTokenizer()  # pyright: ignore
    ends = [(piece, found.token_to_id(piece)) for piece in (SEP, CLS)]
    if all(number is not None for _, number in ends):
        found.post_processor = processors.BertProcessing(*ends)  # pyright: ignore
    return found


def _rows(
    encoded: Sequence[Sequence[int]], labels: Sequence[int], rows: Sequence[int], length: int
) -> Example:
    valid = np.arange(length)[None] < np.array([len(ids) for ids in encoded])[:, None]
    return Example(
        ids=pad(encoded, length),
        valid=valid,
        attendable=valid,
        label=np.array(labels, np.int32),
        weight=np.ones(len(rows), np.float32),
        index=np.array(rows, np.int32),
    )
