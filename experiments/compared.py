"""Models held against others on every instance: a row per target's seed, model and instance."""

import io
import pathlib
from collections.abc import Iterator, Sequence

import jax
import numpy as np
import polars as pl

from attn_jax.analyses.imitators import compare
from attn_jax.data.batching import batches
from attn_jax.data.examples import TextExample
from attn_jax.results import atomic
from attn_jax.types import Params
from experiments.examine import BATCH
from experiments.trained import Trainable, buckets_of


def frame(
    cell: Trainable, params: Params, targets: Params, texts: Sequence[TextExample], **lanes: Sequence
) -> pl.DataFrame:
    """Models `params` [S, L, ...] beside `targets` [S, ...] of the first S seeds; a lane names the L."""
    ((name, values),) = lanes.items()
    return pl.DataFrame(list(_rows(cell, params, targets, texts, name, values)))


def _rows(
    cell: Trainable,
    params: Params,
    targets: Params,
    texts: Sequence[TextExample],
    name: str,
    values: Sequence,
) -> Iterator[dict]:
    for batch in (batch for bucket in buckets_of(cell, texts) for batch in batches(bucket, BATCH)):
        seen = jax.device_get(compare(params, targets, batch, model=cell.objective.model))
        for s, k, b in np.ndindex(seen.jsd.shape):
            if batch.weight[b] > 0:
                text = texts[int(batch.index[b])]
                row = {"seed": cell.seeds[s], name: values[k], "id": text.id, "gold": text.label}
                yield row | {column: array[s, k, b].item() for column, array in seen._asdict().items()}


def write(path: pathlib.Path, table: pl.DataFrame) -> None:
    """Replaces `path` by this frame, atomically."""
    buffer = io.BytesIO()
    table.write_parquet(buffer, compression="zstd", statistics=False)
    atomic.write_bytes(path, buffer.getvalue())
