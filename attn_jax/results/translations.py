"""`translations.parquet`: what a model wrote, one row per seed and sentence; and the records made from it.

`natural` is the text under the model's own attention; `written/VARIANT` that under another one.
"""

import dataclasses
import pathlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from attn_jax.results import bleu, measure, parquet
from attn_jax.results.aggregate import Summary
from attn_jax.results.records import Record

PAPER, TABLE = "vashishth_2019", "table3"
PRINTED = ("uniform_train_infer", "uniform_infer", "random_train_infer", "random_infer", "permute_infer")
NATURAL, WRITTEN = "natural", "written/"
BEAM = "beam"  # the one variant of decoding, not of attention
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


def records_of(frame: pl.DataFrame, dataset: str, model: str, caveat: str) -> list[Record]:
    """BLEU under the model's own attention and what each variant changes.

    A variant that the paper prints carries its key; layer by layer (Figure 4, which prints no numbers) and
    beam search are our own.
    """
    notes = "; ".join(filter(None, (caveat, f"greedy rollout, {bleu.signature()}")))
    common: dict[str, Any] = {"dataset": dataset, "attention": model, "caveat": notes}

    def keyed() -> Iterator[tuple[dict[str, Any], Summary]]:
        natural, sentences = _numbers(frame, NATURAL), frame["id"].n_unique()
        published = {"paper": PAPER, "table": TABLE} if model != "transformer" else {"table": "figure4"}
        yield published | {"metric": "bleu"}, measure.of_means(frame, natural, bleu.of_means(sentences))
        for variant in variants(frame):
            own = _numbers(frame, WRITTEN + variant)
            both = np.concatenate([own, natural], axis=1)
            key = published if variant in PRINTED else {"table": "" if variant == BEAM else "figure4"}
            score = measure.of_means(frame, own, bleu.of_means(sentences))
            change = measure.of_means(frame, both, bleu.change(sentences))
            yield {"variant": variant, "table": key["table"], "metric": "bleu"}, score
            yield key | {"variant": variant, "metric": "bleu_change"}, change

    run = str(frame["run"][0])
    return [Record(**common, **key, **dataclasses.asdict(found), run=run) for key, found in keyed()]


def variants(frame: pl.DataFrame) -> list[str]:
    """The names of what was written under another attention."""
    return [name.removeprefix(WRITTEN) for name in frame.columns if name.startswith(WRITTEN)]


def _numbers(frame: pl.DataFrame, column: str) -> np.ndarray:
    return bleu.numbers(frame[column].to_list(), frame["reference"].to_list())


def _checked(path: pathlib.Path, frame: pl.DataFrame) -> pl.DataFrame:
    frame = parquet.complete(str(path), frame, REQUIRED, REQUIRED)
    parquet.check_unique(str(path), frame, ("run", "seed", "id"))
    return frame
