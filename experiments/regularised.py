"""One cell of Tutek & Snajder's tables: a variant trained, its attention altered, its words sought."""

import dataclasses
import pathlib
import sys
from collections.abc import Sequence

import jax
import numpy as np
import polars as pl

from attn_jax.analyses.fragility import fragility
from attn_jax.data.batching import LADDER
from attn_jax.data.examples import Corpus, TextExample
from attn_jax.data.vocabulary import Vocabulary
from attn_jax.models import presets
from attn_jax.models.presets import Sizes
from attn_jax.models.seam import AttentiveModel
from attn_jax.results import examples, records, run_dir, tutek_snajder
from attn_jax.results.run_dir import RunDir
from attn_jax.training.dev_loss import DevLoss
from attn_jax.training.loop import Judge, TrainConfig
from attn_jax.training.objective import Objective
from attn_jax.types import Params
from experiments import examine, information, subject, variants
from experiments.clock import Clock
from experiments.information import Sampling
from experiments.trained import trained

BATCH = examine.BATCH
QUICK = Sizes(embedding=24, bilstm=12)


@dataclasses.dataclass(frozen=True)
class Cell:
    """Everything one run depends on."""

    key: tutek_snajder.Cell
    corpus: Corpus
    vocabulary: Vocabulary
    objective: Objective
    train: TrainConfig
    seeds: tuple[int, ...]
    strength: float | None = None
    sampling: Sampling = information.FULL
    table: np.ndarray | None = None  # word vectors [V, E], NaN where drawn
    ladder: tuple[int, ...] = LADDER  # padded lengths
    by_loss: bool = False  # the best epoch is that of the lowest loss on dev

    @property
    def model(self) -> AttentiveModel:
        """The model that is examined."""
        return self.objective.model

    @property
    def judge(self) -> Judge | None:
        """Who says which epoch is the best; None for the usual."""
        return DevLoss(self.objective) if self.by_loss else None

    def settings(self) -> dict:
        """What the numbers depend on, ready for JSON."""
        return {
            "cell": dataclasses.asdict(self.key),
            "model": repr(self.model),
            "terms": [repr(term) for term in self.objective.terms],
            "train": dataclasses.asdict(self.train),
            "sampling": dataclasses.asdict(self.sampling),
            "seeds": self.seeds,
            "labels": self.corpus.labels,
            "sizes": {name: len(split) for name, split in self.corpus.splits()},
            "vocabulary": len(self.vocabulary),
            "vectors": "drawn" if self.table is None else "given",
            "ladder": self.ladder,
            "by_loss": self.by_loss,
        }


def cell(
    found: subject.Loaded,
    variant: str,
    attention: str,
    *,
    layers: int = 1,
    strength: float | None = None,
    seeds: Sequence[int] = (0,),
    caveat: str = "",
) -> Cell:
    """One run: this data set under that variant and attention."""
    quick, chosen = found.request.preset == "quick", variants.named(variant)
    notes = [subject.caveat(found), caveat]
    key = tutek_snajder.Cell(
        *(found.corpus.name, attention, variant, layers),
        *("; ".join(filter(None, notes)), found.request.variant),
    )
    model = presets.classifier(
        f"bilstm_{layers}_layers",
        attention,
        words=len(found.vocabulary),
        classes=len(found.corpus.labels),
        sizes=_sizes(found),
    )
    return Cell(
        key,
        found.corpus,
        found.vocabulary,
        chosen.objective(model, strength),
        subject.training(found, chosen.optimiser),
        tuple(seeds),
        strength,
        information.QUICK if quick else information.FULL,
        found.table,
        LADDER[3::2] if quick else LADDER,  # fewer lengths, fewer compilations
        found.request.settings == "later",
    )


def _sizes(found: subject.Loaded) -> Sizes:
    """States as wide as the word vectors, whichever these are: half of it each direction."""
    if found.table is not None:
        width = found.table.shape[1]
        return dataclasses.replace(presets.TUTEK_SNAJDER, embedding=width, bilstm=width // 2)
    return QUICK if found.request.preset == "quick" else presets.TUTEK_SNAJDER


def run(cell: Cell, out: pathlib.Path) -> RunDir:
    """Trains, examines and measures, each step skipped where its result stands already."""
    with opened(cell, out) as run:
        if not run.records.exists():
            clock = Clock(run)
            with clock("train"):
                params = trained(cell, run, judge=cell.judge)
            with clock("altered"):
                frame = examined(cell, params, cell.corpus.test, "test")
            with clock("information"):
                found = information.measured(cell, run, params)
            examples.write(run.examples, frame)
            made = tutek_snajder.records_of(frame, cell.key, information=found, strength=cell.strength)
            records.write(run.records, made)
    return run


def opened(cell: Cell, out: pathlib.Path, **further):
    """The folder of a run of this cell, locked; `further` settings are those of a study around it."""
    device = f"{jax.devices()[0].platform} x {jax.device_count()}"
    return run_dir.opened(out, cell.settings() | further, device=device, command=sys.argv)


def examined(cell: Cell, params: Params, texts: Sequence[TextExample], split: str) -> pl.DataFrame:
    """A row per seed and instance of a split: what the model says under its own and other attention."""
    return examine.rows_of(cell, params, texts, fragility, run=cell.key.name, split=split)
