"""The parameters of a run: trained once, then read from its folder."""

import pathlib
from collections.abc import Callable, Sequence
from typing import Protocol

import jax
import numpy as np

from attn_jax import programs
from attn_jax.data.batching import COARSE_LADDER, Bucket, bucketise
from attn_jax.data.documents import COARSE_LADDERS, bucketise_documents
from attn_jax.data.examples import Corpus, TextExample
from attn_jax.data.vocabulary import Vocabulary
from attn_jax.devices import ALONE, Devices
from attn_jax.models.hierarchical import HierarchicalClassifier
from attn_jax.results import jsonl
from attn_jax.results.run_dir import RunDir
from attn_jax.training import checkpoint
from attn_jax.training.checkpoint import Checkpoint
from attn_jax.training.loop import Fit, Judge, TrainConfig, Watch, fit
from attn_jax.training.objective import Objective
from attn_jax.training.placement import divided
from attn_jax.training.step import initialise
from attn_jax.types import Params


class Trainable(Protocol):
    """All that training depends on; every experiment's cell has it."""

    @property
    def objective(self) -> Objective:
        """The model and what it minimises."""
        ...

    @property
    def corpus(self) -> Corpus:
        """What it is trained on."""
        ...

    @property
    def vocabulary(self) -> Vocabulary:
        """The words it knows."""
        ...

    @property
    def train(self) -> TrainConfig:
        """How it is trained."""
        ...

    @property
    def seeds(self) -> tuple[int, ...]:
        """Trained together."""
        ...

    @property
    def table(self) -> np.ndarray | None:
        """Word vectors [V, E], NaN where drawn."""
        ...

    @property
    def ladder(self) -> tuple[int, ...]:
        """Padded lengths."""
        ...


def trained(
    cell: Trainable,
    run: RunDir,
    watch: Watch | None = None,
    judge: Judge | None = None,
    devices: Devices = ALONE,
) -> Params:
    """Stacked parameters of each seed's best epoch, from the folder if training is over."""

    def fitted(folder: pathlib.Path) -> Fit:
        train, dev = (buckets_of(cell, split) for split in (cell.corpus.train, cell.corpus.dev))
        return fit(
            *(cell.objective, train, dev, cell.train, cell.seeds),
            table=cell.table,
            folder=folder,
            watch=watch,
            judge=judge,
            devices=divided(devices, train, cell.train.batch_size, len(cell.seeds)),
        )

    return kept(run, cell.seeds, fitted, lambda: devices.everywhere(first_weights(cell)))


def kept(
    run: RunDir, seeds: Sequence[int], train: Callable[[pathlib.Path], Fit], first: Callable[[], Params]
) -> Params:
    """What `train` found, from the folder if training is over; `first` gives parameters of that shape.

    `train` is handed the folder of its checkpoints, from which it goes on if it was stopped.
    """
    done, folder = Checkpoint(run.path / "params"), run.path / "training"
    if done.epoch is None:
        programs.forget_if_many()  # a run may train many times, each time compiled anew for every shape
        fitted = train(folder)
        jsonl.write(run.metrics, fitted.history)
        done.save(0, fitted.params, {"seeds": list(seeds)})
    checkpoint.forget(folder)  # here: a process killed before this line leaves it to the next
    params, _ = done.restore(first())
    done.close()
    return params


def first_weights(cell: Trainable) -> Params:
    """The parameters that training starts from, stacked."""
    rows = buckets_of(cell, cell.corpus.train[:1])[0].rows
    example = jax.tree.map(lambda a: a[0], rows)
    return initialise(cell.objective.model, cell.train.optimiser, example, cell.seeds, cell.table).params


def buckets_of(cell: Trainable, split: Sequence[TextExample]) -> list[Bucket]:
    """A split in the padded lengths of this cell; documents in shapes of sentences and words."""
    if isinstance(cell.objective.model, HierarchicalClassifier):
        coarse = COARSE_LADDERS if cell.ladder == COARSE_LADDER else {}
        return bucketise_documents(split, cell.vocabulary, **coarse)
    return bucketise(split, cell.vocabulary, len(cell.corpus.labels), cell.ladder)
