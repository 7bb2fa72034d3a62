"""Mohankumar et al. (2020): does attention mean more once the states differ from each other?"""

import dataclasses
from collections.abc import Iterator

from attn_jax.analyses.similarity import similarity
from attn_jax.data.word_classes import word_class
from attn_jax.results import mohankumar
from attn_jax.results.records import Record
from attn_jax.training.objective import Objective
from attn_jax.training.regularisers.diversity import Diversity
from experiments.cell import Cell
from experiments.questions.case import Case

STRENGTH = 0.5  # lambda of the diversity loss: their example on IMDB


def answered(case: Case) -> list[Record]:
    """The case, the same trained for diversity, and with a BiLSTM also its orthogonal kind."""
    frames = {"plain": case.examined(similarity)}
    for variant, cell in _remedies(case):
        frames[variant] = case.examined(similarity, cell, case.trained(cell, variant))
    made = []
    for variant, frame in frames.items():
        made += case.records(mohankumar.statistics(frame, word_class), variant)
        if variant != "plain" and "smallest_flips" in frame.columns:
            gained = mohankumar.saved_more(frame, frames["plain"])
            made += case.records([("attention_saves_minus_plain_mean", gained)], variant)
    return made


def _remedies(case: Case) -> Iterator[tuple[str, Cell]]:
    cell = case.cell
    objective = Objective(cell.model, (*cell.objective.terms, Diversity(STRENGTH)))
    yield "diversity", dataclasses.replace(cell, objective=objective)
    if cell.key.encoder == "bilstm":
        yield "orthogonal", case.other(encoder="orthogonal_bilstm")
