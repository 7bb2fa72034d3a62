"""One cell of a grid: a data set, an encoder, an attention, some seeds, trained and put on trial."""

import contextlib
import dataclasses
import pathlib
import shutil
import sys
from collections.abc import Iterator, Sequence

import jax
import numpy as np
import polars as pl
from tqdm import tqdm

from attn_jax import rng as streams
from attn_jax.analyses.blocks import Blocks
from attn_jax.analyses.trial import Trial, trial
from attn_jax.data.batching import LADDER, Bucket, at_once, batches
from attn_jax.data.examples import Corpus, TextExample
from attn_jax.data.vocabulary import Vocabulary
from attn_jax.devices import ALONE, Devices, mine, wait
from attn_jax.models.seam import AttentiveModel
from attn_jax.progress import Bar
from attn_jax.report import page, terminal
from attn_jax.results import examples, jain_wallace, records, run_dir, verdict
from attn_jax.results.run_dir import RunDir
from attn_jax.training.loop import TrainConfig
from attn_jax.training.objective import Objective
from attn_jax.types import Params
from experiments import rows
from experiments.clock import Clock
from experiments.trained import buckets_of, trained


@dataclasses.dataclass(frozen=True)
class Cell:
    """Everything one run depends on."""

    key: jain_wallace.Cell
    corpus: Corpus
    vocabulary: Vocabulary
    objective: Objective
    train: TrainConfig
    trial: Trial
    seeds: tuple[int, ...]
    table: np.ndarray | None = None  # word vectors [V, E], NaN where drawn
    limit: int | None = None  # at most so many test instances are put on trial
    ladder: tuple[int, ...] = LADDER  # padded lengths

    @property
    def model(self) -> AttentiveModel:
        """The model on trial."""
        return self.objective.model

    @property
    def name(self) -> str:
        """The run's name in every record."""
        parts = (self.key.dataset, self.key.encoder, self.key.attention, self.key.variant)
        return "-".join(part for part in parts if part)

    def settings(self) -> dict:
        """What the numbers depend on, ready for JSON."""
        return {
            "cell": dataclasses.asdict(self.key),
            "model": repr(self.model),
            "terms": [repr(term) for term in self.objective.terms],
            "train": dataclasses.asdict(self.train),
            "trial": dataclasses.asdict(self.trial),
            "epsilon": self.trial.epsilon,
            "epsilon_grid": self.trial.epsilon_grid,
            "seeds": self.seeds,
            "labels": self.corpus.labels,
            "sizes": {name: len(split) for name, split in self.corpus.splits()},
            "vocabulary": len(self.vocabulary),
            "vectors": "drawn" if self.table is None else "given",
            "limit": self.limit,
            "ladder": self.ladder,
        }


def run(cell: Cell, out: pathlib.Path, devices: Devices = ALONE) -> RunDir:
    """Trains, analyses and reports, each step skipped where its result stands already.

    Of several processes, which see one file system, the first keeps the folder and writes the report.
    """
    first = jax.process_index() == 0
    with _opened(cell, out) if first else contextlib.nullcontext(RunDir(out)) as run:
        wait("the folder is there")
        tried_already, done = run.examples.exists(), run.page.exists()
        wait("all know what is done")
        clock = Clock(run)
        if not tried_already and not done:
            with clock("train"):
                params = trained(cell, run, devices=devices)
            with clock("trial"):
                found = tried(cell, run, params, devices)
                if first:
                    examples.write(run.examples, found)
        if first and not done:
            with clock("report"):
                found = examples.read(run.examples)
                records.write(run.records, records_of(cell, found))
                forget_parts(run)  # before the page, which says that all is done
                page.write_page(run.path)
    return run


def _opened(cell: Cell, out: pathlib.Path) -> contextlib.AbstractContextManager[RunDir]:
    device = f"{jax.devices()[0].platform} x {jax.device_count()}"
    return run_dir.opened(out, cell.settings(), device=device, command=sys.argv)


def announce(run: RunDir, title: str) -> None:
    """The verdict on the terminal, and where the page is."""
    tqdm.write(terminal.text(verdict.of(records.read(run.records)), title=title))
    tqdm.write(f"\nThe page: {run.page}")


def records_of(cell: Cell, found: pl.DataFrame) -> list[records.Record]:
    """Jain & Wallace's statistics of a trial, and our own."""
    return jain_wallace.records_of(found, cell.key, epsilon_grid=cell.trial.epsilon_grid)


def tried(cell: Cell, run: RunDir, params: Params, devices: Devices = ALONE) -> pl.DataFrame:
    """The trial of each seed and bucket, each a file of its own until all are there.

    Each process tries its share of the batches on its own devices and writes its own files; what is
    returned holds those of all.
    """
    texts = on_trial(cell.corpus.test, cell.limit)
    buckets, own = buckets_of(cell, texts), devices.local()
    params = own.everywhere(jax.tree.map(devices.fetch, params))
    total = len(cell.seeds) * sum(_count(bucket, own) for bucket in buckets)
    names = [(s, seed, bucket) for s, seed in enumerate(cell.seeds) for bucket in buckets]
    with Bar(total=total, desc="trial", unit="batch") as bar:
        for s, seed, bucket in names:
            path = _part(run, seed, bucket, jax.process_index())
            if path.exists():
                bar.skip(_count(bucket, own))
                continue
            of_seed = jax.tree.map(lambda a, s=s: a[s], params)
            frames = list(_bucket_rows(cell, of_seed, seed, bucket, texts, own, bar))
            if frames:
                path.parent.mkdir(exist_ok=True)
                examples.write(path, pl.concat(frames, how="diagonal_relaxed"))
    wait("all parts are written")
    paths = [
        _part(run, seed, bucket, process)
        for _, seed, bucket in names
        for process in range(jax.process_count())
    ]
    return pl.concat([examples.read(path) for path in paths if path.exists()], how="diagonal_relaxed")


def _count(bucket: Bucket, devices: Devices) -> int:
    """Batches of a bucket."""
    return -(-len(bucket) // at_once(bucket, devices.count))


def on_trial(texts: Sequence[TextExample], limit: int | None) -> Sequence[TextExample]:
    """A random part, the same in every run: files may be sorted by class."""
    if limit is None or limit >= len(texts):
        return texts
    return [texts[i] for i in sorted(np.random.default_rng(0).permutation(len(texts))[:limit])]


def forget_parts(run: RunDir) -> None:
    """Removes what was kept of a trial that is over."""
    shutil.rmtree(_parts(run), ignore_errors=True)


def _shape(bucket: Bucket) -> str:
    """The padded lengths, of both texts where there are two."""
    rows = bucket.rows
    asked = "" if rows.question_ids is None else f"-{rows.question_ids.shape[1]}"
    return f"{rows.ids.shape[1]}{asked}"


def _parts(run: RunDir) -> pathlib.Path:
    """What is done of a trial that is not over."""
    return run.path / "parts"


def _part(run: RunDir, seed: int, bucket: Bucket, process: int) -> pathlib.Path:
    """One process' share of the trial of one seed and bucket; a bucket of other instances is another part."""
    share = f"-process{process}" if jax.process_count() > 1 else ""
    return _parts(run) / f"seed{seed}-length{_shape(bucket)}-{len(bucket)}{share}.parquet"


def _bucket_rows(
    cell: Cell, params: Params, seed: int, bucket: Bucket, texts: Sequence, devices: Devices, bar: Bar
) -> Iterator[pl.DataFrame]:
    rng = streams.root(seed)
    tried_in_blocks = Blocks(lambda batch: trial(cell.model, params, batch, rng, cell.trial), tqdm.write)
    for batch in mine(batches(bucket.by_length(), at_once(bucket, devices.count))):
        columns = tried_in_blocks(devices.spread(batch))
        bar.update()
        yield rows.frame(columns, batch, texts, run=cell.name, seed=seed, split="test")
