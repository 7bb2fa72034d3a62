"""Figures 2 and 3 of a translation: what its attention does to one of the words that it writes.

Position-wise `decode`, the history as the model itself made it under the reference (DECISIONS 10). Which
word: "the 25th-percentile length of sentences" (Vashishth et al. 2019, section 4.1) is read as one position
for all, the first quartile of the lengths of the references; shorter ones are left out.
"""

from collections.abc import Iterator
from typing import Any, Protocol

import jax
import numpy as np
import polars as pl
from tqdm import tqdm

from attn_jax import rng as streams
from attn_jax.analyses.reliance import reliance
from attn_jax.data.batching import Bucket, batches
from attn_jax.data.examples import Corpus
from attn_jax.data.translation import Languages, pair_buckets
from attn_jax.models.one_word import OneWord
from attn_jax.types import Example, Params

BATCH = 32  # sentences at once: each is decoded a hundred times


class Translation(Protocol):
    """What of a run is needed here."""

    @property
    def corpus(self) -> Corpus:
        """Its test part is translated."""
        ...

    @property
    def languages(self) -> Languages:
        """The pieces of both sides."""
        ...

    @property
    def model(self) -> Any:
        """With the attention that is examined."""
        ...

    @property
    def seeds(self) -> tuple[int, ...]:
        """Trained together."""
        ...

    @property
    def rungs(self) -> tuple[int, ...]:
        """Padded lengths."""
        ...

    @property
    def run(self) -> str:
        """The run's name in every record."""
        ...


def examined(cell: Translation, params: Params) -> pl.DataFrame:
    """A row per seed and test sentence that is long enough: one word and the attention behind it."""
    buckets = pair_buckets(cell.corpus.test, cell.languages, cell.rungs)
    length = quartile(buckets)
    rows = []
    for s, seed in enumerate(cell.seeds):
        own, rng = jax.tree.map(lambda a, s=s: a[s], params), streams.root(seed)
        for batch in tqdm(list(_long_enough(buckets, length)), desc="examine", unit="batch", leave=False):
            columns = reliance(OneWord(cell.model, length - 1), own, batch, rng, ())
            for i in np.flatnonzero(batch.weight):
                identity = {"run": cell.run, "seed": seed, "split": "test"}
                rows.append(identity | _row(cell, columns, batch, int(i), length))
    return pl.DataFrame(rows, infer_schema_length=None, nan_to_null=True)


def quartile(buckets: list[Bucket]) -> int:
    """The first quartile of the number of words to be written, EOS included."""
    return int(np.percentile(np.concatenate([_lengths(bucket.rows) for bucket in buckets]), 25))


def _lengths(rows: Example) -> np.ndarray:
    return np.asarray(rows.target_valid).sum(-1) - 1  # SOS is given, not written


def _long_enough(buckets: list[Bucket], length: int) -> Iterator[Example]:
    """Batches in which sentences that end before the word weigh nothing."""
    for bucket in buckets:
        for batch in batches(bucket, BATCH):
            kept = (_lengths(batch) >= length) * batch.weight
            if kept.any():
                yield batch.replace(weight=kept)


def _row(cell: Translation, columns: dict, batch: Example, i: int, length: int) -> dict[str, Any]:
    valid = np.asarray(batch.valid)[i]
    row = {name: columns[name][i] for name in columns if columns[name].ndim == 1}
    return {name: value.item() for name, value in row.items()} | {
        "id": cell.corpus.test[int(batch.index[i])].id,
        "tokens": cell.languages.source.pieces(np.asarray(batch.ids)[i][valid].tolist()),
        "mask": np.asarray(batch.attendable)[i][valid].tolist(),
        "gold": int(np.asarray(batch.target_ids)[i, length]),
        # Of thousands of words the one that is written: the others would fill the disk.
        "probabilities": [float(columns["probabilities"][i].max())],
        "alpha": columns["alpha"][i][valid].tolist(),
        "score/permuted_alpha": columns["score/permuted_alpha"][i][valid].tolist(),
    }
