"""Wiegreffe & Pinter's second test (2019): how much does attention vary by chance alone?"""

import dataclasses

import jax
import polars as pl

from attn_jax.results import wiegreffe_pinter
from attn_jax.results.records import Record
from experiments import compared
from experiments.questions.case import Case

SEEDS = 8  # beside the base's, as theirs


def answered(case: Case) -> list[Record]:
    """Median JSD of the seeds from the base, over all instances, by largest weight and predicted class."""
    instances = wiegreffe_pinter.seed_variance(variance(case))
    made = case.records(wiegreffe_pinter.of_seeds(instances), "seeds")
    for (decided,), part in instances.group_by("target_prediction", maintain_order=True):
        made += case.records(wiegreffe_pinter.of_seeds(part), "seeds", label=str(decided))
    return made


def variance(case: Case) -> pl.DataFrame:
    """A row per further seed and instance, beside the case's first seed; kept in the run's folder."""
    path = case.run.path / "tests" / "seeds.parquet"
    if not path.exists():
        first = case.cell.seeds[0]
        others = tuple(range(max(case.cell.seeds) + 1, max(case.cell.seeds) + 1 + SEEDS))
        params = case.trained(dataclasses.replace(case.cell, seeds=others), "seeds")
        base = dataclasses.replace(case.cell, seeds=(first,))
        targets = jax.tree.map(lambda a: a[:1], case.params)
        lanes = jax.tree.map(lambda a: a[None], params)
        compared.write(path, compared.frame(base, lanes, targets, case.texts, other=others))
    return pl.read_parquet(path)
