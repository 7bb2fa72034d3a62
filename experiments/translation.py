"""Translation under altered attention: Table 3 of Vashishth et al. (2019), and Figure 4 for a Transformer.

    python -m experiments.vashishth --dataset multi30k --model luong,transformer --data-dir DATA --out OUT

Published for Multi30k: BLEU 31.3 (bahdanau) and 31.5 (luong); uniform attention costs 10.4 and 10.6 in
training and inference, 29.4 and 29.7 at inference alone, a permutation 29.7 and 30.1.
One core, alone: half an hour to train a recurrent model, a minute or two to write the test set each time.
"""

import contextlib
import dataclasses
import functools
import pathlib
import sys
from collections.abc import Callable, Iterator, Sequence

import jax
import numpy as np
import polars as pl

from attn_jax import rng as streams
from attn_jax.analyses import layers
from attn_jax.analyses.written import Altered, beams, rollouts
from attn_jax.data.batching import batches
from attn_jax.data.examples import Corpus, TextExample
from attn_jax.data.load import load
from attn_jax.data.translation import (
    COARSE_RUNGS,
    RUNGS,
    Languages,
    pair_buckets,
    source_buckets,
    source_text,
    target_text,
)
from attn_jax.data.vocabulary import EOS
from attn_jax.models import translators
from attn_jax.models.seq2seq import Seq2Seq
from attn_jax.models.translators import Sizes
from attn_jax.models.writing import Writer
from attn_jax.progress import Bar
from attn_jax.results import attention, bleu, examples, records, run_dir, translations, vashishth
from attn_jax.results.run_dir import RunDir
from attn_jax.training.loop import Fit, TrainConfig, fit
from attn_jax.training.objective import Objective, WordLikelihood
from attn_jax.training.optimiser import Optimiser, Scheduled
from attn_jax.training.perplexity import log_likelihood
from attn_jax.training.step import initialise
from attn_jax.types import Params
from experiments import subject, written_word
from experiments.alignments import alignments
from experiments.clock import Clock
from experiments.request import Altering, Request
from experiments.trained import kept

BATCH = 100  # sentences written at once
BEAM = 5
PIECES, QUICK_PIECES = 4000, 500  # a language
EPOCHS, QUICK_EPOCHS = 10, 2
SELF_ATTENTIVE = "transformer"  # of which only layers are altered, one after another (Figure 4)
SIZES = {SELF_ATTENTIVE: Sizes(192, 3)}  # the others have two layers and are 256 wide
QUICK = Sizes(32, 1, 0.0)


@dataclasses.dataclass(frozen=True)
class Cell:
    """Everything one run depends on."""

    corpus: Corpus
    languages: Languages
    name: str  # of the model
    sizes: Sizes
    train: TrainConfig
    seeds: tuple[int, ...]
    caveat: str
    rungs: tuple[int, ...] = RUNGS

    @property
    def run(self) -> str:
        """The run's name in every record."""
        return f"{self.corpus.name}-{self.name}"

    @property
    def model(self) -> Writer:
        """The model with its own attention."""
        words = {"source": len(self.languages.source), "target": len(self.languages.target)}
        if self.name == SELF_ATTENTIVE:
            return translators.transformer(**words, sizes=self.sizes)
        return translators.recurrent(self.name, **words, sizes=self.sizes)

    @property
    def objective(self) -> Objective:
        """The likelihood of the reference, word by word."""
        return Objective(self.model, (WordLikelihood(smoothing=0.1),))

    def settings(self) -> dict:
        """What the numbers depend on, ready for JSON."""
        return {
            "dataset": self.corpus.name,
            "model": repr(self.model),
            "terms": [repr(term) for term in self.objective.terms],
            "train": dataclasses.asdict(self.train),
            "seeds": self.seeds,
            "sizes": {name: len(split) for name, split in self.corpus.splits()},
            "pieces": [len(self.languages.source), len(self.languages.target)],
            "rungs": self.rungs,
            "bleu": bleu.signature(),
        }


def run(request: Request, model: str, altering: Altering) -> RunDir:
    """One data set under one model, in its folder."""
    found = cell(request, model, altering)
    return translated(found, altering)


def cell(request: Request, model: str, altering: Altering) -> Cell:
    """The run put together from names."""
    quick = request.preset == "quick"
    corpus = subject.limited(load(request.dataset, request.data_dir, preparation="raw"), request)
    sizes = QUICK if quick else SIZES.get(model, Sizes())
    epochs, batch = request.epochs or (QUICK_EPOCHS if quick else EPOCHS), 32 if quick else 96
    steps = epochs * -(-len(corpus.train) // batch)
    train = TrainConfig(epochs, batch, _optimiser(model, steps))
    languages = Languages.train(corpus.train, QUICK_PIECES if quick else PIECES)
    seeds = tuple(range(request.seeds))
    caveat, rungs = _caveat(corpus, sizes, train, seeds), COARSE_RUNGS if quick else RUNGS
    return Cell(corpus, languages, model, sizes, train, seeds, caveat, rungs)


def _optimiser(model: str, steps: int) -> Optimiser:
    """Adam, warmed up, then down to 0: at a constant 1e-3 a recurrent model underfits after 5 epochs."""
    rate = 1e-3 if model == SELF_ATTENTIVE else 2e-3
    return Scheduled(rate, 0.0, clip=1.0, warmup=max(1, steps // 10), steps=steps, betas=(0.9, 0.98))


def translated(cell: Cell, altering: Altering) -> RunDir:
    """Trains, writes the test set under each attention and scores it; what stands is not done again.

    Each way of writing is a column of translations.parquet, so further ones can be asked for later.
    """
    with _opened(altering.folder(cell.run), cell) as run:
        clock, path = Clock(run), run.path / "translations.parquet"
        with clock("train"):
            params = trained(cell, run)
        frame = translations.read(path) if path.exists() else _frame(cell)
        for column, write in _columns(cell, params, altering).items():
            if column not in frame.columns:
                with clock(column):
                    frame = frame.with_columns(pl.Series(column, write()))
                translations.write(path, frame)
        if not run.attention.exists():
            own = jax.tree.map(lambda a: a[0], params)
            shown = alignments(cell.run, cell.seeds[0], cell.model, own, cell.corpus.test, cell.languages)
            attention.write(run.attention, shown)
        probe = cell.name in translators.PROBES
        key = vashishth.Cell(cell.corpus.name, cell.name, "translation", cell.caveat, probe)
        records.write(run.records, translations.records_of(frame, key) + _figures(cell, params, run, key))
    return run


def _figures(cell: Cell, params: Params, run: RunDir, key: vashishth.Cell) -> list[records.Record]:
    """What stands behind Figures 2 and 3, of models with one attention a word."""
    if not isinstance(cell.model, Seq2Seq):
        return []
    if not run.examples.exists():
        with Clock(run)("examine"):
            examples.write(run.examples, written_word.examined(cell, params))
    return key.records(vashishth.behind_figures(examples.read(run.examples)))


def _opened(folder: pathlib.Path, cell: Cell) -> contextlib.AbstractContextManager[RunDir]:
    device = f"{jax.devices()[0].platform} x {jax.device_count()}"
    return run_dir.opened(folder, cell.settings(), device=device, command=sys.argv)


def _columns(cell: Cell, params: Params, altering: Altering) -> dict[str, Callable[[], list[str]]]:
    """Every way of writing by the name of its column: natural first, which all others are compared with."""
    found = {translations.NATURAL: lambda: _rows(cell, params, ())}
    found[f"written/{translations.BEAM}"] = lambda: _rows(cell, params, (), width=BEAM)
    if cell.name == SELF_ATTENTIVE:
        for variant, sites in layers.cumulative(cell.model.sites).items():
            permuted = tuple((site, "permute") for site in sites)
            found[f"written/{variant}"] = functools.partial(_rows, cell, params, permuted)
        return found
    for name in altering.alter:
        altered = tuple((site, name) for site in cell.model.sites)
        rows = functools.partial(_rows, cell, params, altered)
        found[f"written/{name}_infer"] = rows
        found[f"written/{translations.BEAM}_{name}_infer"] = functools.partial(rows, width=BEAM)
    for name in altering.train:
        found[f"written/{name}_train_infer"] = functools.partial(_trained_with, cell, name, altering)
    return found


def _trained_with(cell: Cell, name: str, altering: Altering) -> list[str]:
    """Altered in training too: one model, whichever attention is replaced, so in a folder of its own."""
    other = dataclasses.replace(cell, name=name)
    with _opened(altering.folder(f"{other.run}-train"), other) as run:
        return _rows(other, trained(other, run), ())


def trained(cell: Cell, run: RunDir) -> Params:
    """Stacked best parameters of all seeds; the best epoch is that of the highest dev likelihood."""

    def fitted(folder: pathlib.Path) -> Fit:
        train, dev = (
            pair_buckets(split, cell.languages, cell.rungs) for split in (cell.corpus.train, cell.corpus.dev)
        )
        return fit(cell.objective, train, dev, cell.train, cell.seeds, folder=folder, judge=log_likelihood)

    def first() -> Params:
        rows = pair_buckets(cell.corpus.train[:1], cell.languages, cell.rungs)[0].rows
        example = jax.tree.map(lambda a: a[0], rows)
        return initialise(cell.model, cell.train.optimiser, example, cell.seeds, None).params

    return kept(run, cell.seeds, fitted, first)


def _rows(cell: Cell, params: Params, altered: Altered, *, width: int = 1) -> list[str]:
    """What every seed writes for the test set, seed after seed, in the order of the corpus."""
    texts, how = [], {"model": cell.model, "altered": altered}
    for s, seed in enumerate(cell.seeds):
        own, rng = jax.tree.map(lambda a, s=s: a[s], params), streams.root(seed)
        written: dict[int, str] = {}
        for batch, steps in _sources(cell, cell.corpus.test):
            if width > 1:
                ids = beams(own, batch, rng, **how, steps=steps, width=width, end=EOS)
            else:
                ids = rollouts(own, batch, rng, **how, steps=steps)
            for row in np.flatnonzero(batch.weight):
                written[int(batch.index[row])] = cell.languages.target.decode(np.asarray(ids)[row].tolist())
        texts += [written[i] for i in range(len(cell.corpus.test))]
    return texts


def _sources(cell: Cell, texts: Sequence[TextExample]) -> Iterator[tuple]:
    """Batches, and how many words may be written: half as many again as the source has, and a few."""
    buckets = source_buckets(texts, cell.languages, cell.rungs)
    found = [batch for bucket in buckets for batch in batches(bucket, BATCH)]
    for batch in Bar(found, desc="write", unit="batch", leave=False):
        yield batch, batch.ids.shape[1] * 3 // 2 + 5


def _frame(cell: Cell) -> pl.DataFrame:
    """Sources and references, seed after seed, in the order of the corpus."""
    rows = [(seed, text) for seed in cell.seeds for text in cell.corpus.test]
    return pl.DataFrame(
        {
            "run": [cell.run] * len(rows),
            "seed": [seed for seed, _ in rows],
            "id": [text.id for _, text in rows],
            "source": [source_text(text) for _, text in rows],
            "reference": [target_text(text) for _, text in rows],
        }
    )


def _caveat(corpus: Corpus, sizes: Sizes, train: TrainConfig, seeds: Sequence[int]) -> str:
    notes = [
        corpus.caveat,
        f"raw text, {sizes}, {train.epochs} epochs (the paper's sizes are not stated)",
        f"{len(seeds)} seed{'s' if len(seeds) > 1 else ''}" if len(seeds) < 3 else "",
    ]
    return "; ".join(filter(None, notes))
