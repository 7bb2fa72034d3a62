"""One run of Vashishth's Tables 1 and 2: a model trained with its own and with altered attention."""

import dataclasses
import pathlib
import sys
from collections.abc import Sequence
from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import polars as pl

from attn_jax import rng as streams
from attn_jax.analyses.reliance import reliance
from attn_jax.data.batching import COARSE_LADDER, LADDER, Bucket, batches
from attn_jax.data.examples import Corpus
from attn_jax.data.load import spec_of
from attn_jax.data.vocabulary import Vocabulary
from attn_jax.models import attentions, presets
from attn_jax.models.presets import Sizes
from attn_jax.models.seam import AttentiveModel
from attn_jax.progress import Bar
from attn_jax.results import examples, jsonl, records, run_dir, vashishth
from attn_jax.results.run_dir import RunDir
from attn_jax.training import metrics
from attn_jax.training.loop import TrainConfig, logits_of
from attn_jax.training.objective import Objective
from attn_jax.training.optimiser import Optimiser
from attn_jax.types import Params
from experiments import rows, subject
from experiments.clock import Clock
from experiments.request import Altering, Request
from experiments.trained import buckets_of, trained

BATCH = 32  # instances examined at once
# The paper names no regularisation. With J&W's L2 a pair model stayed at chance on SNLI, the encoder of
# its hypothesis at 0: Adam scales L2 up where the likelihood says little yet.
L2 = 0.0
QUICK = Sizes(embedding=24, bilstm=12)
NATURAL = "natural"
_FIELDS = {"word": "word_attention", "sentence": "sentence_attention", "text": "attention"}


@dataclasses.dataclass(frozen=True)
class Cell:
    """Everything one run depends on. `model` has its own attention; `under` gives the altered ones."""

    key: vashishth.Cell
    corpus: Corpus
    vocabulary: Vocabulary
    model: AttentiveModel
    train: TrainConfig
    seeds: tuple[int, ...]
    alter: tuple[str, ...]  # at inference
    trained_with: tuple[str, ...]  # an alteration, or for one site of several ALTERATION_SITE
    table: np.ndarray | None = None  # word vectors [V, E], NaN where drawn
    ladder: tuple[int, ...] = LADDER  # padded lengths

    @property
    def objective(self) -> Objective:
        """The likelihood alone."""
        return Objective(self.model)

    def under(self, name: str) -> "Cell":
        """The same run of the model whose attention is altered in training too."""
        alteration, _, site = name.partition("_")
        fields = [_FIELDS[one] for one in self.model.sites if site in ("", one)]
        changed: dict[str, Any] = {f: _module(alteration, getattr(self.model, f)) for f in fields}
        return dataclasses.replace(self, model=self.model.clone(**changed))

    def settings(self) -> dict:
        """What the numbers depend on, ready for JSON."""
        return {
            "cell": dataclasses.asdict(self.key),
            "model": repr(self.model),
            "train": dataclasses.asdict(self.train),
            "alter": self.alter,
            "trained_with": self.trained_with,
            "seeds": self.seeds,
            "labels": self.corpus.labels,
            "sizes": {name: len(split) for name, split in self.corpus.splits()},
            "vocabulary": len(self.vocabulary),
            "vectors": "drawn" if self.table is None else "given",
            "ladder": self.ladder,
        }


def run(request: Request, model: str, altering: Altering) -> RunDir:
    """One data set under one model, in its folder."""
    found = subject.loaded(request, "sentences" if model == "han" else None)
    one = cell(found, model, altering)
    return examined(one, altering.folder(one.key.name))


def cell(found: subject.Loaded, model: str, altering: Altering) -> Cell:
    """The run put together from names."""
    tried = tuple(filter(None, (altering.probe, found.request.probe.name)))
    name = "_".join((model, *tried))
    key = vashishth.Cell(found.corpus.name, name, found.spec.kind, _caveat(found), bool(tried))
    natural = _model(found, model, altering.hidden)
    levels = natural.sites if altering.levels and len(natural.sites) > 1 else ()
    alone = [f"{name}_{site}" for name in altering.train for site in levels]
    return Cell(
        key,
        found.corpus,
        found.vocabulary,
        natural,
        subject.training(found, Optimiser(l2=L2)),
        tuple(range(found.request.seeds)),
        altering.alter,
        (*altering.train, *alone),
        found.table,
        COARSE_LADDER if found.request.preset == "quick" else LADDER,
    )


def examined(cell: Cell, out: pathlib.Path) -> RunDir:
    """Trains with each attention, alters and measures, each step skipped where its result stands."""
    device = f"{jax.devices()[0].platform} x {jax.device_count()}"
    with run_dir.opened(out, cell.settings(), device=device, command=sys.argv) as run:
        if not run.records.exists():
            clock = Clock(run)
            buckets = buckets_of(cell, cell.corpus.test)
            with clock("train"):
                params = _trained(cell, run, NATURAL)
            with clock("examine"):
                frame = _examined(cell, params, buckets)
            for name in cell.trained_with:
                other = cell.under(name)
                with clock(f"train_{name}"):
                    said = _predicted(other, _trained(other, run, name), buckets)
                frame = frame.join(_named(cell, name, said), on=("seed", "id"), validate="1:1")
            jsonl.write(run.metrics, _histories(cell, run))
            examples.write(run.examples, frame)
            records.write(run.records, vashishth.records_of(frame, cell.key))
    return run


def _caveat(found: subject.Loaded) -> str:
    """A HAN's texts may hold the punctuation that the other models' are without."""
    usual = found.spec.rules == spec_of(found.request.dataset).rules
    return "; ".join(filter(None, (subject.caveat(found), "" if usual else "punctuation kept")))


def _model(found: subject.Loaded, name: str, hidden: int | None) -> AttentiveModel:
    """J&W's sizes, bAbI's smaller ones, or Yang's for a HAN; words as wide as the vectors given."""
    usual = presets.YANG if name == "han" else presets.PAPER
    sizes = presets.BABI if found.spec.name.startswith("babi") else usual
    if found.request.preset == "quick":
        sizes = QUICK
    if found.table is not None:
        sizes = dataclasses.replace(sizes, embedding=found.table.shape[1])
    if hidden is not None:
        sizes = dataclasses.replace(sizes, bilstm=hidden)
    common = {"words": len(found.vocabulary), "classes": len(found.corpus.labels), "sizes": sizes}
    if name == "han":
        return presets.hierarchical(**common)
    if name == "rocktaschel":
        return presets.rocktaschel(**common)
    family = presets.pair if found.corpus.paired else presets.classifier
    return family("bilstm", "additive", **common)


def _module(alteration: str, natural: nn.Module) -> nn.Module:
    """The attention that is trained with."""
    if alteration == "permute":
        return attentions.Permuted(natural)
    return {"uniform": attentions.Uniform, "random": attentions.Random}[alteration]()


def _trained(cell: Cell, run: RunDir, name: str) -> Params:
    """Parameters of one training, in a folder of their own."""
    folder = run.path / name
    folder.mkdir(exist_ok=True)
    return trained(cell, RunDir(folder))


def _histories(cell: Cell, run: RunDir) -> list[dict]:
    """One row an epoch, seed and attention."""
    names = (NATURAL, *cell.trained_with)
    return [
        {"attention": name} | row for name in names for row in jsonl.read(RunDir(run.path / name).metrics)
    ]


def _examined(cell: Cell, params: Params, buckets: Sequence[Bucket]) -> pl.DataFrame:
    """A row per seed and test instance: what the model says under its own and other attention."""
    total = len(cell.seeds) * sum(-(-len(bucket) // BATCH) for bucket in buckets)
    parts = []
    with Bar(total=total, desc="examine", unit="batch") as bar:
        for s, seed in enumerate(cell.seeds):
            own, rng = jax.tree.map(lambda a, s=s: a[s], params), streams.root(seed)
            for batch in (batch for bucket in buckets for batch in batches(bucket, BATCH)):
                columns = reliance(cell.model, own, batch, rng, cell.alter)
                identity = {"run": cell.key.name, "seed": seed, "split": "test"}
                parts.append(rows.frame(columns, batch, cell.corpus.test, **identity))
                bar.update()
    return pl.concat(parts, how="diagonal_relaxed")


def _predicted(cell: Cell, params: Params, buckets: Sequence[Bucket]) -> np.ndarray:
    """Decisions [S, N] under the attention trained with, in the order of the corpus."""
    rngs = jnp.stack([streams.stream(streams.root(seed), "attention") for seed in cell.seeds])
    logits, _ = logits_of(cell.model, params, buckets, BATCH, rngs)
    order = np.argsort(np.concatenate([bucket.rows.index for bucket in buckets]))
    return np.stack([metrics.decisions(one)[order] for one in logits])


def _named(cell: Cell, name: str, said: np.ndarray) -> pl.DataFrame:
    """The decisions as a column of the examples."""
    ids = [text.id for text in cell.corpus.test]
    alteration, _, site = name.partition("_")
    column = "_".join(filter(None, ("prediction", alteration, "train_infer", site)))
    frames = [
        pl.DataFrame({"id": ids, column: row}).with_columns(pl.lit(seed, pl.Int64).alias("seed"))
        for seed, row in zip(cell.seeds, said, strict=True)
    ]
    return pl.concat(frames)
