"""`translations.parquet`: what a model wrote, one row per seed and sentence; and the records made from it.

`natural` is the text under the model's own attention; `written/VARIANT` that under another one.
"""

import dataclasses
import functools
import pathlib
from collections.abc import Iterator

import numpy as np
import polars as pl

from attn_jax.results import bleu, layers, measure, parquet
from attn_jax.results.records import Record
from attn_jax.results.vashishth import Cell, Keyed

NATURAL, WRITTEN = "natural", "written/"
BEAM = "beam"  # a variant of decoding, not of attention; with one of attention behind it, it is of both
REQUIRED: dict[str, pl.DataType] = {
    "run": pl.String(),
    "seed": pl.Int64(),
    "id": pl.String(),
    "source": pl.String(),
    "reference": pl.String(),
    NATURAL: pl.String(),
}


def write(path: pathlib.Path, frame: pl.DataFrame) -> None:
    """Replaces `path` by this frame, atomically."""
    parquet.write(path, _checked(path, frame))


def read(path: pathlib.Path) -> pl.DataFrame:
    """The frame of a file that `write` made, checked as on the way out."""
    return _checked(path, parquet.read(path, "translations"))


def records_of(frame: pl.DataFrame, cell: Cell) -> list[Record]:
    """BLEU under the model's own attention, and each variant's and what it changes.

    Variants that the paper prints carry its key; beam search and layers (Figure 4 prints no numbers) are
    our own. What altered attention changes is counted from the same decoding without it.
    """
    sentences, numbers = frame["id"].n_unique(), functools.cache(functools.partial(_numbers, frame))
    notes = "; ".join(filter(None, (cell.caveat, f"greedy, {bleu.signature()}")))

    def statistics() -> Iterator[Keyed]:
        natural_key = layers.key("bleu") if layers.among(variants(frame)) else cell.printed("bleu")
        yield natural_key, measure.of_means(frame, numbers(NATURAL), bleu.of_means(sentences))
        for variant in variants(frame):
            own = numbers(WRITTEN + variant)
            both = np.concatenate([own, numbers(_unaltered(variant))], axis=1)
            score = measure.of_means(frame, own, bleu.of_means(sentences))
            table = layers.key("bleu") if layers.among([variant]) else {"metric": "bleu"}
            yield table | {"variant": variant}, score
            change = measure.of_means(frame, both, bleu.change(sentences))
            yield cell.printed("bleu_change", variant), change

    return dataclasses.replace(cell, caveat=notes).records(statistics())


def variants(frame: pl.DataFrame) -> list[str]:
    """The names of what was written under another attention."""
    return [name.removeprefix(WRITTEN) for name in frame.columns if name.startswith(WRITTEN)]


def _unaltered(variant: str) -> str:
    """The column that a variant's change is counted from."""
    return WRITTEN + BEAM if variant.startswith(f"{BEAM}_") else NATURAL


def _numbers(frame: pl.DataFrame, column: str) -> np.ndarray:
    return bleu.numbers(frame[column].to_list(), frame["reference"].to_list())


def _checked(path: pathlib.Path, frame: pl.DataFrame) -> pl.DataFrame:
    frame = parquet.complete(str(path), frame, REQUIRED, REQUIRED)
    parquet.check_unique(str(path), frame, ("run", "seed", "id"))
    return frame
