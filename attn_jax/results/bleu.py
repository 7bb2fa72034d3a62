"""BLEU by sacrebleu, kept as counts a sentence, so that a corpus can be resampled (Post 2018).

The ten numbers of a sentence are the lengths of what was written and of the reference, then how many of the
written 1- to 4-grams stand in the reference, and how many there are.
"""

import functools
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float
from sacrebleu.metrics.bleu import BLEU

from attn_jax.results.aggregate import Statistic

NUMBERS, ORDER = 10, 4


def numbers(written: Sequence[str], references: Sequence[str]) -> Float[np.ndarray, "N 10"]:
    """The counts of each sentence."""
    scorer = BLEU(effective_order=True)  # which concerns a sentence's own score, not its counts
    found = [scorer.sentence_score(text, [other]) for text, other in zip(written, references, strict=True)]
    return np.array([(s.sys_len, s.ref_len, *s.counts, *s.totals) for s in found], float)


@functools.cache
def signature() -> str:
    """How sacrebleu counts: references, case, tokens, smoothing, version."""
    scorer = BLEU()
    scorer.corpus_score(["a"], [["a"]])
    return str(scorer.get_signature())


def of_means(sentences: int) -> Statistic:
    """BLEU of a corpus of so many sentences from the means of their numbers [*R, 10], in percent."""

    def score(means: Float[np.ndarray, "*R 10"]) -> Float[np.ndarray, "*R"]:
        lengths, counts = np.split(means * sentences, [2], axis=-1)
        right, total = counts[..., :ORDER], counts[..., ORDER:]
        # Papineni et al. (2002), eqs. 2 and 3, with sacrebleu's exponential smoothing of empty orders.
        halvings = 2.0 ** np.cumsum(right == 0, axis=-1)
        safe = np.maximum(total, 1e-9)
        precision = np.where(right > 0, right, 1 / halvings) / safe
        written, reference = np.moveaxis(np.maximum(lengths, 1e-9), -1, 0)
        brevity = np.exp(np.minimum(0.0, 1 - reference / written))
        value = 100 * brevity * np.exp(np.log(precision).mean(-1))
        return np.where((right.sum(-1) > 0) & (total > 0).all(-1), value, 0.0)

    return score


def change(sentences: int) -> Statistic:
    """BLEU of the first ten means minus that of the other ten: of two texts of the same sentences."""
    score = of_means(sentences)
    return lambda means: score(means[..., :NUMBERS]) - score(means[..., NUMBERS:])
