"""Bastings & Filippova (2020): do saliency methods explain better than attention, and agree with it?"""

import functools

from attn_jax.analyses.comparison import Comparison, compared
from attn_jax.results import comparison
from attn_jax.results.records import Record
from experiments.questions.case import Case


def answered(case: Case) -> list[Record]:
    """Agreement, faithfulness, plausibility; a rationale is as long as the corpus's mean."""
    how = Comparison(share=share(case))
    frame = case.examined(functools.partial(compared, how=how))
    return case.records(comparison.statistics(frame))


def share(case: Case) -> float:
    """Of the tokens that rationales mark, over the texts on trial that have one."""
    marked = [text.rationale for text in case.texts if text.rationale]
    tokens = sum(len(flags) for flags in marked)
    return sum(sum(flags) for flags in marked) / tokens if tokens else Comparison().share
