"""Imitators of a trained cell: how much output must they give up for other attention (Figure 1)?"""

import io
import pathlib
from collections.abc import Iterator, Sequence

import jax
import numpy as np
import polars as pl

from attn_jax.analyses.imitators import compare
from attn_jax.data.batching import batches
from attn_jax.results import atomic, records, regularisation
from attn_jax.results.run_dir import RunDir
from attn_jax.training import checkpoint
from attn_jax.training.imitation import imitate
from attn_jax.types import Params
from experiments.clock import Clock
from experiments.regularised import BATCH, Cell, opened
from experiments.trained import buckets_of, trained

# lambda of eq. 6; the paper does not print its grid. 0 only imitates.
STRENGTHS = (0.0, 0.01, 0.03, 0.1, 0.3, 1.0)


def run(cell: Cell, targets: RunDir, out: pathlib.Path, strengths: Sequence[float] = STRENGTHS) -> RunDir:
    """Imitators at every strength of every seed of the models in `targets`, and their records."""
    with opened(cell, out, strengths=list(strengths)) as run:
        if not run.records.exists():
            clock = Clock(run)
            params = trained(cell, targets)
            with clock("imitate"):
                imitators = imitate(
                    cell.model,
                    params,
                    buckets_of(cell, cell.corpus.train),
                    cell.train,
                    cell.seeds,
                    strengths,
                    table=cell.table,
                    folder=run.path / "training",
                )
            frame = pl.DataFrame(list(_rows(cell, imitators, params, strengths)))
            _write(run.path / "imitation.parquet", frame)
            records.write(run.records, regularisation.imitation(frame, cell.key))
        checkpoint.forget(run.path / "training")
    return run


def _rows(cell: Cell, imitators: Params, targets: Params, strengths: Sequence[float]) -> Iterator[dict]:
    """One row per seed, strength and test instance."""
    texts = cell.corpus.test
    for batch in (batch for bucket in buckets_of(cell, texts) for batch in batches(bucket, BATCH)):
        seen = jax.device_get(compare(imitators, targets, batch, model=cell.model))
        for s, k, b in np.ndindex(seen.jsd.shape):
            if batch.weight[b] > 0:
                text = texts[int(batch.index[b])]
                row = {"seed": cell.seeds[s], "strength": strengths[k], "id": text.id, "gold": text.label}
                yield row | {name: values[s, k, b].item() for name, values in seen._asdict().items()}


def _write(path: pathlib.Path, frame: pl.DataFrame) -> None:
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd", statistics=False)
    atomic.write_bytes(path, buffer.getvalue())
