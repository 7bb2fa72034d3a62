"""Jain & Wallace (2019): the trial of `experiments.jain_wallace`, certificates and nulls included."""

from attn_jax.results import examples
from attn_jax.results.records import Record
from experiments import cell
from experiments.questions.case import Case


def answered(case: Case) -> list[Record]:
    """Rank agreement, permutation, adversaries; the instances stay in examples.parquet."""
    if not case.run.examples.exists():
        examples.write(case.run.examples, cell.tried(case.cell, case.run, case.params))
    found = cell.records_of(case.cell, examples.read(case.run.examples))
    cell.forget_parts(case.run)
    return found
