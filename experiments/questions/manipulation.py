"""Pruthi et al. (2020): can a model be trained to hide its attention from the tokens that matter?"""

import dataclasses

from attn_jax.analyses.group_attention import GroupAttention
from attn_jax.data.examples import Corpus
from attn_jax.data.simulators.neutral import with_neutral
from attn_jax.results import manipulation
from attn_jax.results.records import Record
from attn_jax.training.dev_loss import DevLoss
from attn_jax.training.objective import Objective
from attn_jax.training.regularisers.impermissible import Impermissible
from attn_jax.types import Params
from experiments import subject
from experiments.cell import Cell
from experiments.questions.case import Case

STRENGTHS = (0.0, 0.1, 1.0)  # lambda, as theirs


def answered(case: Case) -> list[Record]:
    """Accuracy and mass on the tokens over lambda, and the mass that needs no training at all."""
    cell = _cell(case)
    analysis, frames = GroupAttention(case.cell.trial.epsilon), {}
    for strength in STRENGTHS:
        hiding = _hiding(cell, strength)
        frames[strength] = case.examined(analysis, hiding, _trained(case, hiding, strength))
    return case.records(manipulation.statistics(frames), "manipulated", caveat=_caveat(case, cell))


def _trained(case: Case, hiding: Cell, strength: float) -> Params:
    """The best epoch is that of the least whole loss: the most accurate one may not hide anything yet."""
    if hiding is case.cell:
        return case.params
    judge = DevLoss(hiding.objective) if strength else None
    return case.trained(hiding, f"manipulation-{strength:g}", judge)


def _cell(case: Case) -> Cell:
    """The case where its corpus names the tokens that matter, or else with a neutral sentence appended."""
    if names_tokens(case.cell.corpus):
        return case.cell
    corpus = with_neutral(case.cell.corpus)
    found = subject.of_corpus(case.found.request, case.found.spec, corpus)
    return subject.cell(found, case.cell.key.encoder, case.cell.key.attention)


def names_tokens(corpus: Corpus) -> bool:
    """Whether every instance marks its decisive tokens."""
    return all(example.rationale is not None for _, split in corpus.splits() for example in split)


def _hiding(cell: Cell, strength: float) -> Cell:
    if strength == 0:
        return cell
    terms = (*cell.objective.terms, Impermissible(strength))
    return dataclasses.replace(cell, objective=Objective(cell.model, terms))


def _caveat(case: Case, cell: Cell) -> str:
    if cell is case.cell:
        return "hidden: the tokens marked as decisive"
    return "hidden: the text itself; shown: a generated neutral sentence behind it"
