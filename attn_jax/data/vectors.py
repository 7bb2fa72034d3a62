"""Pretrained word vectors: GloVe and fastText text files, plain or gzipped, read in one pass."""

import dataclasses
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Bool, Float

from attn_jax.data.loaders.reading import lines
from attn_jax.data.vocabulary import PAD, SPECIAL
from attn_jax.errors import UserError


@dataclasses.dataclass(frozen=True)
class Vectors:
    """One row a word of the vocabulary; `known` marks the rows that the file gave."""

    table: Float[np.ndarray, "V E"]
    known: Bool[np.ndarray, "V"]

    @property
    def coverage(self) -> float:
        """The share of the vocabulary's words (the special ones apart) that the file knows."""
        words = len(self.known) - len(SPECIAL)
        return float(self.known.sum()) / words if words > 0 else 0.0

    def alike(self) -> Float[np.ndarray, "V E"]:
        """The table with its drawn rows as wide spread as those of the file; padding stays 0."""
        if not self.known.any():
            raise UserError("The file knows none of these words: there is nothing to be drawn alike.")
        given = self.table[self.known]
        drawn = given.mean(0) + given.std(0) * self.table
        drawn[PAD] = 0
        return np.where(self.known[:, None], self.table, drawn).astype(np.float32)

    def blank(self) -> Float[np.ndarray, "V E"]:
        """The table with zeros for its drawn rows: what torchtext gives, by which J&W's code reads them."""
        return np.where(self.known[:, None], self.table, 0).astype(np.float32)


def read(path: Path, words: Sequence[str], seed: int) -> Vectors:
    """The vectors of `words` (a vocabulary's, in its order); only their rows are kept.

    Words that the file does not know get samples of N(0, 1) (J&W, appendix A), padding gets zeros.

    Raises:
        UserError: a row is not a word and numbers, or not as wide as the others.
    """
    rows = {word: i for i, word in enumerate(words)}
    table, known = None, np.zeros(len(words), bool)
    for where, word, values in _rows(path):
        if table is None:
            table = _random(len(words), len(values), seed)
        row = rows.get(word)
        # The first of two rows for a word counts: files are sorted by frequency.
        if row is not None and not known[row]:
            table[row], known[row] = _numbers(values, where), True
    if table is None:
        raise UserError(f"{path}: no vectors in it; expected lines of a word and its numbers.")
    return Vectors(table, known)


def _random(count: int, width: int, seed: int) -> Float[np.ndarray, "V E"]:
    table = np.random.default_rng(seed).standard_normal((count, width), dtype=np.float32)
    table[PAD] = 0
    return table


def _rows(path: Path) -> Iterable[tuple[str, str, list[str]]]:
    """(file and line, word, numbers as text). A word may hold blanks, so rows are split from the right."""
    width = None
    for number, line in lines(path):
        fields = line.rstrip(" ").split(" ")
        if number == 1 and len(fields) == 2 and all(field.isdigit() for field in fields):
            continue  # fastText's first line: how many words, how wide
        where = f"{path}, line {number}"
        width = width or len(fields) - 1
        word = fields[: max(0, len(fields) - width)]
        if width < 1 or not word or not word[0] or any(map(_is_number, word[1:])):
            raise UserError(
                f"{where}: not a word and {width} numbers, as in the lines before; repair the file."
            )
        yield where, " ".join(word), fields[len(word) :]


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _numbers(values: list[str], where: str) -> Float[np.ndarray, "E"]:
    try:
        vector = np.array(values, np.float64)
    except ValueError as error:
        raise UserError(f"{where}: a value is not a number; repair the file.") from error
    if not (np.abs(vector) <= np.finfo(np.float32).max).all():
        raise UserError(f"{where}: a value is not a finite number; repair the file.")
    return vector.astype(np.float32)


def learn(sentences: Iterable[Sequence[str]], path: Path, width: int = 300, seed: int = 0) -> None:
    """Trains word2vec over `sentences` (read several times) and writes it in the text format.

    J&W, appendix A, for MIMIC-III; needs gensim, which is an extra.
    """
    try:
        from gensim.models import Word2Vec  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise UserError("word2vec needs gensim; install attn_jax[vectors].") from error
    model = Word2Vec(sentences, vector_size=width, seed=seed, workers=1)
    model.wv.save_word2vec_format(str(path), binary=False)
