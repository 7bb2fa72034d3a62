"""Wiegreffe & Pinter's fourth test (2019): a model trained to say the same and attend elsewhere."""

import pathlib

import jax
import polars as pl

from attn_jax import divergences
from attn_jax.results import wiegreffe_pinter
from attn_jax.results.records import Record
from attn_jax.training import checkpoint
from attn_jax.training.checkpoint import Checkpoint
from attn_jax.training.imitation import imitate
from attn_jax.types import Params
from experiments import compared
from experiments.questions import seeds
from experiments.questions.case import Case
from experiments.trained import buckets_of

# lambda, around what is recalled of theirs (2e-4 to 8e-4), up to where the outputs are given up.
STRENGTHS = (0.0, 5e-4, 5e-3, 0.02, 0.1)


def answered(case: Case) -> list[Record]:
    """The frontier over lambda, its best point, and that point among the seeds' own distances."""
    _, strength = trained(case)
    found = pl.read_parquet(case.run.path / "tests" / "adversary.parquet")
    best = found.filter(pl.col("strength") == strength)
    made = case.records(wiegreffe_pinter.frontier(found), "adversary")
    made += case.records(
        wiegreffe_pinter.of_adversary(best), "adversary", caveat=f"lambda {strength:g}, chosen on dev"
    )
    quantile = wiegreffe_pinter.seed_quantile(best, seeds.variance(case))
    return made + case.records([("seed_quantile_mean", quantile)], "adversary")


def trained(case: Case) -> tuple[Params, float]:
    """The adversaries of all seeds [S, ...] at the strength chosen on dev, trained once; that strength."""
    kept = Checkpoint(_folder(case) / "params")
    if kept.epoch is None:
        grid = _grid(case)
        dev = compared.frame(case.cell, grid, case.params, case.cell.corpus.dev, strength=STRENGTHS)
        strength = wiegreffe_pinter.chosen_strength(dev)
        frame = compared.frame(case.cell, grid, case.params, case.texts, strength=STRENGTHS)
        compared.write(case.run.path / "tests" / "adversary.parquet", frame)
        best = jax.tree.map(lambda a: a[:, STRENGTHS.index(strength)], grid)
        kept.save(0, best, {"strength": strength})
    checkpoint.forget(_folder(case) / "training")
    params, note = kept.restore(case.params)
    kept.close()
    return params, note["strength"]


def _grid(case: Case) -> Params:
    """Adversaries [S, L, ...], each from its base's first weights, for as long as the base was trained."""
    cell = case.cell
    return imitate(
        cell.model,
        case.params,
        buckets_of(cell, cell.corpus.train),
        cell.train,
        cell.seeds,
        STRENGTHS,
        divergence=divergences.kl,
        table=cell.table,
        folder=_folder(case) / "training",
    )


def _folder(case: Case) -> pathlib.Path:
    return case.run.path / "tests" / "adversary"
