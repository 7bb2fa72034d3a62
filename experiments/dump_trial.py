"""The trial of a dump: buckets of lengths, rows, records, one verdict table."""

import dataclasses
import functools
import pathlib
import sys
from collections.abc import Iterator

import jax
import numpy as np
import polars as pl
from tqdm import tqdm

from attn_jax import rng as streams
from attn_jax.analyses.fixed_states import fixed_states
from attn_jax.analyses.trial import Trial
from attn_jax.data.batching import LADDER, Bucket, batches
from attn_jax.models.dumped import Dumped
from attn_jax.progress import Bar
from attn_jax.report import debate_document, document
from attn_jax.results import asks, debate, examples, measure, own_statistics, records, run_dir
from attn_jax.results.records import Record
from attn_jax.types import Example
from experiments import rows
from experiments.dump import Dump
from experiments.examine import BATCH
from experiments.questions import serrano_smith

TESTS = ("trial", "erasure")  # whose questions fixed states can answer, in part
# Under other attention, and what marked tokens got and could get.
MEANS = (
    "tvd_uniform",
    "tvd_permuted",
    "attention_entropy",
    "token_probability",
    "marked_mass",
    "marked_mass_low",
    "marked_mass_high",
)


def run(dump: Dump, name: str, out: pathlib.Path, epsilon: float, limit: int | None) -> None:
    """Writes everything into `out` and prints the table."""
    settings = Trial(epsilon)
    device = f"{jax.devices()[0].platform} x {jax.device_count()}"
    identity = {"dump": name, "epsilon": epsilon, "limit": limit, "instances": len(dump.alpha)}
    with run_dir.opened(out, identity, device=device, command=sys.argv) as folder:
        frame = tried(dump, name, settings, limit)
        examples.write(folder.examples, frame)
        found = list(recorded(frame, dump, name, settings))
        records.write(folder.records, found)
        table = debate.rows(found, asks.ALL)
        debate.write(out, table)
        left = [_needing(ask) for ask in debate.unanswered(found, asks.ALL, TESTS)]
        made = debate_document.document(table, left, name)
        document.write(made, out)
        tqdm.write(document.plain(made))
        tqdm.write(f"The page: {out / 'debate.html'}")


def tried(dump: Dump, name: str, settings: Trial, limit: int | None) -> pl.DataFrame:
    """One row an instance."""
    model, params, texts = Dumped(), dump.params(), dump.texts()
    look = functools.partial(fixed_states, model, params, rng=streams.root(0), settings=settings)
    each = [batch for bucket in _buckets(dump.rows(), limit) for batch in batches(bucket, BATCH)]
    parts = [
        rows.frame(look(batch), batch, texts, run=name, seed=0, split="test")
        for batch in Bar(each, unit="batch")
    ]
    frame = pl.concat(parts, how="diagonal_relaxed")
    return frame if dump.gold is not None else frame.with_columns(gold=pl.lit(None, pl.Int64))


def recorded(frame: pl.DataFrame, dump: Dump, name: str, settings: Trial) -> Iterator[Record]:
    """Our own statistics, those of erased weights, and means under altered attention."""
    notes = ["dumped by another program; states held fixed; 1 model"]
    if dump.empty:
        notes.append(f"{dump.empty} rows with nothing attendable left out")
    if frame.height < len(dump.alpha):
        notes.append(f"the first {frame.height} of {len(dump.alpha)} instances")
    statistics = {
        metric: measure.mean(frame, value)
        for metric, value in own_statistics.expressions(settings.epsilon_grid).items()
    }
    statistics |= {f"{column}_mean": measure.mean(frame, pl.col(column)) for column in MEANS}
    statistics |= dict(serrano_smith.statistics(frame))
    for metric, summary in statistics.items():
        if summary is not None:
            yield Record(dataset=name, run=name, metric=metric, caveat="; ".join(notes), **vars(summary))


def _needing(ask: debate.Ask) -> debate.Ask:
    return dataclasses.replace(ask, needs=ask.needs or "the model itself, which must encode other texts")


def _buckets(whole: Example, limit: int | None) -> Iterator[Bucket]:
    """Instances of about one length together, so that one long text does not make all long."""
    sizes = np.asarray(whole.valid).sum(1)
    widths = np.array([rung for rung in LADDER if rung < whole.valid.shape[1]] + [whole.valid.shape[1]])
    rungs = widths[np.searchsorted(widths, sizes)]
    chosen = np.arange(len(sizes)) < (limit or len(sizes))
    for width in np.unique(rungs[chosen]):
        here = np.flatnonzero((rungs == width) & chosen)
        yield Bucket(jax.tree.map(lambda a, w=width, h=here: a[h, :w] if a.ndim > 1 else a[h], whole))
