"""An analysis over all seeds and instances of a trained cell: one row each."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import jax
import numpy as np
import polars as pl
from jax import Array
from tqdm import tqdm

from attn_jax import rng as streams
from attn_jax.analyses.blocks import Blocks
from attn_jax.data.batching import MOST_AT_ONCE, at_once, batches
from attn_jax.data.examples import TextExample
from attn_jax.devices import ALONE
from attn_jax.models.seam import AttentiveModel
from attn_jax.progress import Bar
from attn_jax.types import Example, Params
from experiments import rows
from experiments.trained import Trainable, buckets_of

BATCH = MOST_AT_ONCE  # where texts are short

# (model, one seed's parameters, a batch, the seed's root stream) -> columns [B, ...].
Analysis = Callable[[AttentiveModel, Params, Example, Array], Mapping[str, Array | np.ndarray]]


def rows_of(
    cell: Trainable,
    params: Params,
    texts: Sequence[TextExample],
    analysis: Analysis,
    *,
    run: str,
    split: str = "test",
) -> pl.DataFrame:
    """What `analysis` finds in each of `texts` under each seed's own parameters; `params` are stacked."""
    devices, buckets = ALONE.local(), buckets_of(cell, texts)
    each = [batch for bucket in buckets for batch in batches(bucket, at_once(bucket, devices.count))]
    parts = []
    with Bar(
        total=len(cell.seeds) * len(each), desc=getattr(analysis, "__name__", "examine"), unit="batch"
    ) as bar:
        for s, seed in enumerate(cell.seeds):
            own = devices.everywhere(jax.tree.map(lambda a, s=s: a[s], params))
            rng = streams.root(seed)
            in_blocks = Blocks(partial(_fetched, analysis, cell.objective.model, own, rng), tqdm.write)
            for batch in each:
                columns = in_blocks(devices.spread(batch))
                parts.append(rows.frame(columns, batch, texts, run=run, seed=seed, split=split))
                bar.update()
    return pl.concat(parts, how="diagonal_relaxed")


def _fetched(
    analysis: Analysis, model: AttentiveModel, params: Params, rng: Array, batch: Example
) -> dict[str, np.ndarray]:
    return jax.device_get(dict(analysis(model, params, batch, rng)))
