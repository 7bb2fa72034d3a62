"""The data of the PyTorch reference, read by the same rules: both sides see the same texts and words."""

import gzip
import json
import pathlib
import re
from collections.abc import Iterator

import numpy as np

from attn_jax.data.examples import TextExample
from attn_jax.data.vocabulary import Vocabulary
from attn_jax.errors import UserError

MIN_COUNT = {"sst": 1, "imdb": 10}
SHORTEST, LONGEST = 6, 399  # words


def load(
    name: str, data_dir: pathlib.Path, train: int, test: int
) -> tuple[list[TextExample], list[TextExample], Vocabulary]:
    """Train and test texts, drawn with seed 0 as the reference draws them (0 = all), and the vocabulary."""
    if name not in MIN_COUNT:
        raise UserError(f"--data {name}: the reference reads {' and '.join(MIN_COUNT)}.")
    rng = np.random.default_rng(0)
    first, second = (_take(rng, name, data_dir, split, n) for split, n in (("train", train), ("test", test)))
    return first, second, Vocabulary.build((example.tokens for example in first), MIN_COUNT[name])


def _take(
    rng: np.random.Generator, name: str, data_dir: pathlib.Path, split: str, n: int
) -> list[TextExample]:
    rows = [row for row in _read(name, data_dir, split) if len(row[0]) >= SHORTEST]
    chosen = rng.permutation(len(rows))[: n or len(rows)]
    return [TextExample(f"{split}-{i}", tuple(rows[i][0]), rows[i][1]) for i in chosen]


def _read(name: str, data_dir: pathlib.Path, split: str) -> Iterator[tuple[list[str], int]]:
    path = data_dir / ("sst" if name == "sst" else "imdb")
    path /= f"stsa.binary.{split}.gz" if name == "sst" else f"{split}.jsonl.gz"
    if not path.exists():
        raise UserError(f"{path} is missing: --data-dir names the folder that holds sst/ and imdb/.")
    with gzip.open(path, "rt", errors="replace") as lines:
        for line in lines:
            yield _sst(line) if name == "sst" else _imdb(line)


def _sst(line: str) -> tuple[list[str], int]:
    label, text = line.rstrip("\n").split(" ", 1)
    return text.split(), int(label)


def _imdb(line: str) -> tuple[list[str], int]:
    row = json.loads(line)
    return re.findall(r"[a-z]+|[^\w\s]", row["text"].lower())[:LONGEST], row["label"]
