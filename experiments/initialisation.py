"""Dot-product attention from two starts: one learns, one stays uniform (appendix C)."""

import pathlib
from collections.abc import Sequence

import jax
import numpy as np

from attn_jax.analyses.entropy import relative_entropy
from attn_jax.data.batching import Bucket, batches
from attn_jax.models.seam import AttentiveModel
from attn_jax.results import jsonl, records, regularisation
from attn_jax.results.run_dir import RunDir
from attn_jax.training.loop import Watch
from attn_jax.types import Example, Params
from experiments.regularised import BATCH, Cell, opened
from experiments.trained import buckets_of, first_weights, trained

STARTS = ("dot", "dot_small_start")
ENTROPY = "attention_entropy"


def run(cell: Cell, out: pathlib.Path) -> RunDir:
    """Trains the cell and records the entropy of its attention on dev, before and after each epoch."""
    with opened(cell, out, watched=ENTROPY) as run:
        if not run.records.exists():
            watch = entropy_watch(cell.model, buckets_of(cell, cell.corpus.dev))
            begun = watch(first_weights(cell))[ENTROPY]
            trained(cell, run, watch)
            history = [
                {"epoch": 0, "seed": seed, ENTROPY: float(value)}
                for seed, value in zip(cell.seeds, begun, strict=True)
            ]
            history += [row | {"epoch": row["epoch"] + 1} for row in jsonl.read(run.metrics)]
            made = regularisation.initialisation(history, cell.key, n=len(cell.corpus.dev))
            records.write(run.records, made)
    return run


def entropy_watch(model: AttentiveModel, buckets: Sequence[Bucket]) -> Watch:
    """Mean relative entropy of each seed's attention over the instances of two tokens and more."""

    def watch(params: Params) -> dict[str, np.ndarray]:
        seen = [
            np.asarray(_entropies(model, params, batch))[:, batch.weight > 0]
            for bucket in buckets
            for batch in batches(bucket, BATCH)
        ]
        return {ENTROPY: np.nanmean(np.concatenate(seen, axis=1), axis=1)}

    return watch


@jax.jit(static_argnums=0)
def _entropies(model: AttentiveModel, params: Params, batch: Example) -> jax.Array:
    """Relative entropies [S, B]."""

    def one(params: Params, example: Example) -> jax.Array:
        encoded = model.encode(params, model.embed(params, example))
        return relative_entropy(model.attend(params, encoded), encoded.mask)

    return jax.vmap(jax.vmap(one, (None, 0)), (0, None))(params, batch)
