"""Bastings & Filippova (2020): do saliency methods explain better than attention, and agree with it?"""

import dataclasses
import functools

import polars as pl

from attn_jax.analyses.comparison import Comparison, compared
from attn_jax.results import comparison
from attn_jax.results.records import Record
from experiments.questions.case import Case

LONG = 512  # tokens: occlusion reads a text once a token, so longer ones go without


def answered(case: Case) -> list[Record]:
    """Agreement, faithfulness, plausibility; a rationale is as long as the corpus's mean."""
    longest = max(len(text.tokens) for text in case.texts)
    how = Comparison(share=share(case))
    caveat = ""
    if longest > LONG:
        kept = tuple((name, method) for name, method in how.methods if not name.startswith("occlusion"))
        how = dataclasses.replace(how, methods=kept)
        caveat = f"occlusion left out: texts of up to {longest:,} tokens"
    analysis = functools.partial(compared, how=how)
    frame = case.examined(analysis)
    return case.records(comparison.statistics(frame, _again(case, analysis, frame)), caveat=caveat)


def share(case: Case) -> float:
    """Of the tokens that rationales mark, over the texts on trial that have one."""
    marked = [text.rationale for text in case.texts if text.rationale]
    tokens = sum(len(flags) for flags in marked)
    return sum(sum(flags) for flags in marked) / tokens if tokens else Comparison().share


def _again(case: Case, analysis: functools.partial, frame: pl.DataFrame) -> pl.DataFrame:
    """The same texts under several seeds, for the ceiling: one more is trained where there is one."""
    if len(case.cell.seeds) > 1:
        return frame
    other = dataclasses.replace(case.cell, seeds=(max(case.cell.seeds) + 1,))
    found = case.examined(analysis, other, case.trained(other, "saliency-ceiling"))
    return pl.concat([frame, found], how="diagonal_relaxed")
