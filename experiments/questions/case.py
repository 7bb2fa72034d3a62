"""The model whose attention is debated, and what every test needs of it."""

import dataclasses
import functools
from collections.abc import Iterable, Sequence

import polars as pl

from attn_jax.data.examples import Corpus, TextExample
from attn_jax.results.aggregate import Summary
from attn_jax.results.records import Record
from attn_jax.results.run_dir import RunDir
from attn_jax.training.loop import Judge
from attn_jax.types import Params
from experiments import examine, subject
from experiments.cell import Cell, on_trial
from experiments.trained import trained

Statistics = Iterable[tuple[str, Summary | None]]  # (metric, its summary, None where undefined)


@dataclasses.dataclass(frozen=True)
class Case:
    """A trained cell with its folder. A test reads it and returns records."""

    found: subject.Loaded
    cell: Cell
    params: Params  # of all seeds, stacked
    run: RunDir

    @functools.cached_property
    def texts(self) -> Sequence[TextExample]:
        """The test instances whose attention is looked at."""
        return on_trial(self.cell.corpus.test, self.cell.limit)

    def other(
        self, encoder: str | None = None, attention: str | None = None, corpus: Corpus | None = None
    ) -> Cell:
        """The cell with another encoder, attention or corpus of the same words, as yet untrained."""
        found = dataclasses.replace(self.found, corpus=corpus) if corpus else self.found
        return subject.cell(found, encoder or self.cell.key.encoder, attention or self.cell.key.attention)

    def trained(self, cell: Cell, name: str, judge: Judge | None = None) -> Params:
        """Parameters of another cell, trained once and then read from this run's folder."""
        return trained(cell, RunDir(self.run.path / "tests" / name), judge=judge)

    def examined(
        self, analysis: examine.Analysis, cell: Cell | None = None, params: Params | None = None
    ) -> pl.DataFrame:
        """A row per seed and instance on trial: of this model, or of another cell and its parameters."""
        cell, params = cell or self.cell, self.params if params is None else params
        texts = on_trial(cell.corpus.test, cell.limit)
        return examine.rows_of(cell, params, texts, analysis, run=self.cell.name)

    def records(
        self, statistics: Statistics, variant: str = "", *, label: str = "", caveat: str = ""
    ) -> list[Record]:
        """Those that are defined, as our own records; `variant` names another model than the case's."""
        key = self.cell.key
        identity = {"dataset": key.dataset, "encoder": key.encoder, "attention": key.attention}
        identity |= {"variant": variant, "label": label, "run": self.cell.name}
        identity |= {"caveat": "; ".join(filter(None, (key.caveat, caveat)))}
        return [
            Record(**identity, metric=metric, **dataclasses.asdict(summary))
            for metric, summary in statistics
            if summary is not None
        ]
