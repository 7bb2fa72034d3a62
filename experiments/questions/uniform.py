"""Wiegreffe & Pinter's first test (2019): is attention needed for the task at all?"""

from attn_jax.results import measure, wiegreffe_pinter
from attn_jax.results.records import Record
from experiments.questions.case import Case
from experiments.questions.decision import decision


def answered(case: Case) -> list[Record]:
    """The same model trained with equal weights, beside the case."""
    cell = case.other(attention="uniform")
    without = case.examined(decision, cell, case.trained(cell, "uniform"))
    own = case.examined(decision)
    made = case.records(wiegreffe_pinter.performance(without), "uniform")
    made += case.records([("accuracy_minus_uniform", measure.accuracy_gain(own, without))])
    return made + case.records(wiegreffe_pinter.performance(own), "attentive")
