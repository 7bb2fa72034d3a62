"""Which strength a regulariser gets: each is tried, the best on the dev split is taken."""

import dataclasses
import pathlib
import shutil
from collections.abc import Sequence

import polars as pl

from attn_jax.errors import UserError
from attn_jax.results import pool, records, regularisation
from experiments import regularised, subject, variants
from experiments.trained import trained

_DEV, _AFTER = "dev split", "; after "  # in the caveat of an ablation's records


def chosen(
    found: subject.Loaded,
    variant: str,
    attention: str,
    out: pathlib.Path,
    *,
    seeds: Sequence[int],
    epochs: int,
) -> float:
    """The strength for a variant with a term, from one-layer models; tried once, then read.

    More layers reuse the choice of one (their appendix B). A strength is a folder of its own, so a
    stopped ablation goes on where it was.
    """
    caveat = _DEV if epochs == found.epochs else f"{_DEV}{_AFTER}{epochs} of {found.epochs} epochs"
    cells = {
        strength: _briefly(
            regularised.cell(found, variant, attention, strength=strength, seeds=seeds, caveat=caveat), epochs
        )
        for strength in variants.named(variant).grid
    }
    first, folders = next(iter(cells.values())), {strength: out / f"{strength:g}" for strength in cells}
    with regularised.opened(first, out, strengths=list(cells)) as run:
        if not run.records.exists():
            frames = {strength: _tried(cell, folders[strength]) for strength, cell in cells.items()}
            records.write(run.records, regularisation.ablation(frames, first.key))
            for folder in folders.values():
                shutil.rmtree(folder)  # parameters that nobody needs again
        made = records.read(run.records)
    return _choice(made)


def recorded(folder: pathlib.Path, run: str) -> tuple[float, str]:
    """What the ablation called `run`, whose records are in or below the folder, chose.

    And after how much of the training, "" if that was the whole of it.
    """
    made = [record for record in pool.read([folder]) if record.run == run]
    if not made:
        raise UserError(
            f"--chosen-in {folder} holds no records of {run}: leave it out to try the strengths now."
        )
    return _choice(made), made[0].caveat.partition(_DEV + _AFTER)[2]


def _choice(made: Sequence[records.Record]) -> float:
    return next(record.value for record in made if record.metric == regularisation.CHOSEN)


def _briefly(cell: regularised.Cell, epochs: int) -> regularised.Cell:
    return dataclasses.replace(cell, train=dataclasses.replace(cell.train, epochs=epochs))


def _tried(cell: regularised.Cell, out: pathlib.Path) -> pl.DataFrame:
    with regularised.opened(cell, out) as run:
        return regularised.examined(cell, trained(cell, run, judge=cell.judge), cell.corpus.dev, "dev")
