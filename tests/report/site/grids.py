"""Grids of runs for sites, made of plausible random numbers: nothing is trained."""

import itertools
import pathlib

import numpy as np
import polars as pl

from attn_jax.results import attention, examples, jain_wallace, records
from tests.report import runs
from tests.results import answers, frames

HOSTILE = [
    "<script>window.hacked=1</script>",
    "</script><img src=x onerror=window.hacked=1>",
    "\"'`&amp;\\",
    "${window.hacked=1}",
    "__proto__",
    "\u202eevil\u202c",
    "שלום",
    "🦊👩‍👩‍👧",
    "\u2028",
    "x" * 400,
]
SOURCE, TARGET = ["ein", "Hund", "<b>schläft"], ["a", "dog", "sleeps", "</table>"]


def grid(folder: pathlib.Path) -> pathlib.Path:
    """Twelve runs and a translation: data set, encoder, attention."""
    cells = itertools.product(("sst", "imdb"), ("bilstm", "cnn", "average"), ("additive", "dot"))
    for number, cell in enumerate(cells):
        frame = moved(frames.make(n=12, seeds=2, run="-".join(cell)), number)
        runs.build(folder / "-".join(cell), frame, jain_wallace.Cell(*cell, caveat="a toy"))
    translation(folder / "mt")
    return folder


def moved(frame: pl.DataFrame, number: int) -> pl.DataFrame:
    """The same with other agreements, so that runs differ."""
    shift = 0.08 * (number - 6)
    return frame.with_columns((pl.col(c) + shift).clip(-1, 1) for c in ("tau_gradient", "tau_loo"))


def hostile(folder: pathlib.Path) -> pathlib.Path:
    """Runs whose every text is markup, one of 4,000 words, and one whose decoder is not in the page."""
    frame = frames.make(n=10, run="hostile")
    tokens = [[HOSTILE[i % len(HOSTILE)] for i in range(len(t))] for t in frame["tokens"]]
    frame = frame.with_columns(tokens=pl.Series(tokens), id=pl.col("id") + "<b>")
    cell = jain_wallace.Cell("<i>sst", "bilstm", "additive", caveat="<u>caveat")
    runs.build(folder / "hostile", frame, cell, labels=["<script>0", '"1" onload=x'])
    bare = frames.make(n=4, run="bare").drop("token_logits")
    runs.build(folder / "bare", bare, jain_wallace.Cell("bare", "rocktaschel", "additive"))
    runs.build(folder / "long", long(), jain_wallace.Cell("long", "bilstm", "additive"))
    return folder


def long(words: int = 4000) -> pl.DataFrame:
    """Two documents of so many words."""
    frame = frames.make(n=2, run="long")
    lists = [n for n, t in frame.schema.items() if isinstance(t, pl.List) and n != "probabilities"]
    wide = [n for n in lists if n not in ("curve_jsd", "curve_null_jsd", "question")]
    repeated = [pl.Series(n, [(v * (1 + words // len(v)))[:words] for v in frame[n].to_list()]) for n in wide]
    return frame.with_columns(repeated).with_columns(
        pl.col("alpha").list.eval(pl.element() / pl.element().sum())
    )


def translation(folder: pathlib.Path) -> pathlib.Path:
    """Records and attention of two layers and three heads, no instances."""
    rng = np.random.default_rng(0)
    rows = [
        attention.row(
            "mt", 0, f"test-{i}", f"dec/{layer}/cross", TARGET, SOURCE, rng.dirichlet(np.ones(3), (3, 4))
        )
        for i in range(3)
        for layer in range(2)
    ]
    runs.write_bare(folder, [records.Record(dataset="multi30k", metric="bleu", value=30.0, run="mt")])
    attention.write(folder / "attention.parquet", rows)
    return folder


def many(folder: pathlib.Path, count: int = 200) -> pathlib.Path:
    """One file with the records of so many runs."""
    made = jain_wallace.records_of(
        frames.make(n=24), jain_wallace.Cell("sst", "bilstm", "additive"), epsilon_grid=frames.EPSILON_GRID
    )
    found = [
        record
        for number in range(count)
        for record in answers.changed(
            made, run=f"run-{number}", dataset=f"set{number % 20}", variant=f"v{number}"
        )
    ]
    folder.mkdir(parents=True, exist_ok=True)
    records.write(folder / "records.csv", found)
    return folder


def seen(folder: pathlib.Path, evidence) -> pathlib.Path:
    """What a real model's pass showed of a batch, as a run."""
    rows = [
        {
            "run": "seen",
            "seed": 0,
            "id": f"test-{i}",
            "split": "test",
            "tokens": [f"word{t}" for t in range(len(alpha))],
            "mask": mask.tolist(),
            "gold": 0,
            "prediction": 0,
            "probabilities": [0.5, 0.5],
            "alpha": alpha.tolist(),
            "token_logits": logits.tolist(),
        }
        for i, (alpha, mask, logits) in enumerate(
            zip(*map(np.asarray, (evidence.alpha, evidence.encoded.mask, evidence.token_logits)), strict=True)
        )
        if mask.any()
    ]
    runs.write_bare(folder, [records.Record(dataset="seen", metric="accuracy", value=0.5, run="seen")])
    examples.write(folder / "examples.parquet", pl.DataFrame(rows))
    return folder
