"""The statistics of corpora as a table on the terminal and as records."""

import dataclasses
import pathlib
from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl
from jaxtyping import Int

from attn_jax.data import specs, vectors
from attn_jax.data.load import EMBEDDED, load, load_counted, spec_of
from attn_jax.data.loaders import folder, mimic
from attn_jax.data.statistics import Statistics, statistics
from attn_jax.data.vocabulary import Vocabulary
from attn_jax.errors import UserError
from attn_jax.results import published, records, run_dir

BINS, BAR = 10, 40
TABLES = {
    "jain_wallace": ("jain_wallace_2019", "table1"),
    "released": ("jain_wallace_2019", "table1"),
    "tutek_snajder": ("tutek_snajder_2020", "table5"),
}


@dataclasses.dataclass(frozen=True)
class Asked:
    """What holds for every corpus of one command."""

    data_dir: pathlib.Path | None
    preparation: specs.Preparation
    vectors: pathlib.Path | None
    cache_dir: pathlib.Path | None


@dataclasses.dataclass(frozen=True)
class Counted:
    """One corpus, counted. `name` is that of the corpus read, which a simulated one does not share."""

    name: str
    title: str
    caveat: str
    statistics: Statistics
    coverage: float | None


def named(dataset: str | None) -> list[str]:
    """The one corpus that was named."""
    if dataset is None:
        raise UserError(f"name a corpus with --dataset ({', '.join(specs.names())}), or pass --all.")
    return [dataset]


def found(data_dir: pathlib.Path | None) -> list[str]:
    """Every corpus that the folder holds."""
    if data_dir is None or not data_dir.is_dir():
        raise UserError("--all needs --data-dir, the folder that holds one folder per corpus.")
    names = [name for name, spec in specs.PUBLISHED.items() if folder.present(data_dir, spec)]
    if not names:
        raise UserError(f"{data_dir}: no corpus in it; it must hold one folder per corpus, named like sst.")
    return names


def count(name: str, asked: Asked) -> Counted:
    """Loads and counts one corpus."""
    spec = spec_of(name, asked.preparation)
    if name in EMBEDDED and (asked.data_dir is None or name == "reviews"):
        corpus, counts = load(name), {"dev": {}}
    elif name == specs.TRANSFER:
        corpus, counts = load(name, asked.data_dir, cache_dir=asked.cache_dir), {"dev": {}}
    else:
        corpus, counts = load_counted(name, spec, asked.data_dir, asked.cache_dir)
    coverage = None
    if asked.vectors is not None:
        sequences = (s for example in corpus.train for s in (example.tokens, example.question or ()))
        words = Vocabulary.build(sequences, spec.min_count).words
        coverage = vectors.read(asked.vectors, words, 0).coverage
    return Counted(corpus.name, spec.title, corpus.caveat, statistics(corpus, spec, counts), coverage)


def report(names: Sequence[str], asked: Asked, out: pathlib.Path, *, command: Sequence[str]) -> None:
    """Prints one table a corpus and writes all figures as records."""
    settings = {"datasets": list(names), "preparation": asked.preparation, "data": str(asked.data_dir)}
    written: list[records.Record] = []
    with run_dir.opened(out, settings, device="none", command=command) as run:
        for name in names:
            counted = count(name, asked)
            rows = list(_records(counted, asked.preparation))
            print("\n".join(_table(counted, rows)), end="\n\n", flush=True)
            written += rows
        records.write(run.records, written)
    print(f"Recorded in {run.records}")


def _records(counted: Counted, preparation: specs.Preparation) -> Iterator[records.Record]:
    """A figure that a table prints carries its key; all others are our own statistics."""
    keys = set(published.load().select(published.KEY).iter_rows())
    figures = list(counted.statistics.rows())
    if counted.coverage is not None:
        figures.append(("vector_coverage", "", counted.coverage))
    for metric, label, value in figures:
        record = records.Record(
            paper=TABLES[preparation][0],
            table=TABLES[preparation][1],
            dataset=counted.name,
            variant="released" if preparation == "released" else "",
            label=label,
            metric=metric,
            value=value,
            caveat=counted.caveat,
            run=f"data-{counted.name}-{preparation}",
        )
        own = dataclasses.replace(record, paper=records.OURS, table="data")
        yield record if record.key() in keys else own


def _table(counted: Counted, rows: Sequence[records.Record]) -> Iterator[str]:
    """The lines of one corpus's table: one a figure, its classes side by side as the papers print them."""
    cells = published.load().filter(pl.col("dataset") == counted.name)
    printed = {row[:-1]: row[-1] for row in cells.select(*published.KEY, "value").iter_rows()}
    yield f"{counted.name}: {counted.title}" + (f" ({counted.caveat})" if counted.caveat else "")
    yield f"  {'figure':<24}{'ours':<30}published"
    for metric in dict.fromkeys(row.metric for row in rows):
        whole, *classes = [row for row in rows if row.metric == metric]
        shown = classes if len(classes) in (2, 3) else [whole]
        theirs = [printed[row.key()] for row in shown if row.key() in printed]
        yield f"  {metric:<24}{_numbers([row.value for row in shown]):<30}{_numbers(theirs)}".rstrip()
    yield from _histogram(counted.statistics.lengths)


def _numbers(values: Sequence[float]) -> str:
    return " / ".join(f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}" for value in values)


def _histogram(lengths: Int[np.ndarray, "n"]) -> Iterator[str]:
    """Lengths as bars; the last bar takes the longest hundredth, which would flatten the rest."""
    first, last = int(lengths.min()), max(int(np.quantile(lengths, 0.99)), int(lengths.min()) + 1)
    edges = np.unique(np.linspace(first, last, BINS + 1).round().astype(int))
    counts, _ = np.histogram(np.minimum(lengths, last), edges)
    yield "  length (tokens)"
    for low, high, size in zip(edges[:-1], edges[1:], counts, strict=True):
        name = f"{low}-{high - 1}" if high < last else f"{low} and more"
        yield f"  {name:>14} {'#' * round(BAR * size / counts.max())} {size:,}"


def learn(names: Sequence[str], asked: Asked, path: pathlib.Path) -> None:
    """Trains word2vec over the discharge summaries that the named corpus is made of."""
    if set(names) - {"diabetes", "anemia"} or asked.data_dir is None:
        raise UserError("--learn-vectors is for --dataset diabetes or anemia, with --data-dir.")
    spec = spec_of(names[0], asked.preparation)
    with folder.opened(folder.corpus_folder(asked.data_dir, spec), spec) as corpus:
        notes, _ = corpus.files["train"]
        vectors.learn(mimic.Summaries(notes, spec.rules), path)
    print(f"Vectors in {path}")
