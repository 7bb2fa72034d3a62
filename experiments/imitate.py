"""Imitators of a trained cell: how much output must they give up for other attention (Figure 1)?"""

import pathlib
from collections.abc import Sequence

from attn_jax.results import records, regularisation
from attn_jax.results.run_dir import RunDir
from attn_jax.training import checkpoint
from attn_jax.training.imitation import imitate
from experiments import compared
from experiments.clock import Clock
from experiments.regularised import Cell, opened
from experiments.trained import buckets_of, trained

# lambda of eq. 6; the paper does not print its grid. 0 only imitates.
STRENGTHS = (0.0, 0.01, 0.03, 0.1, 0.3, 1.0)


def run(cell: Cell, targets: RunDir, out: pathlib.Path, strengths: Sequence[float] = STRENGTHS) -> RunDir:
    """Imitators at every strength of every seed of the models in `targets`, and their records."""
    with opened(cell, out, strengths=list(strengths)) as run:
        if not run.records.exists():
            clock = Clock(run)
            params = trained(cell, targets)
            with clock("imitate"):
                imitators = imitate(
                    cell.model,
                    params,
                    buckets_of(cell, cell.corpus.train),
                    cell.train,
                    cell.seeds,
                    strengths,
                    table=cell.table,
                    folder=run.path / "training",
                )
            frame = compared.frame(cell, imitators, params, cell.corpus.test, strength=strengths)
            compared.write(run.path / "imitation.parquet", frame)
            records.write(run.records, regularisation.imitation(frame, cell.key))
        checkpoint.forget(run.path / "training")
    return run
