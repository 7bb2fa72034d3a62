"""How far from the printed figure a reproduction may lie: the only place that says so.

The groups are what a share is taken over: figures of one scale and one tolerance.
"""

import dataclasses
from collections.abc import Callable

COUNTS = "counts"  # of data, not of models: their shares stand apart


@dataclasses.dataclass(frozen=True)
class Rule:
    """The tolerance of a group of metrics of one paper; `digits` is how many decimals it prints."""

    paper: str
    group: str
    metrics: tuple[str, ...]
    allowed: Callable[[float], float]  # of the published value
    words: str
    digits: int


def _within(margin: float) -> Callable[[float], float]:
    return lambda published: margin


def _count(published: float) -> float:
    """1 %, and never less than the rounding of a printed whole number."""
    return max(0.01 * abs(published), 0.5)


def _drop(published: float) -> float:
    return max(5.0, 0.3 * abs(published))


def _change(published: float) -> float:
    return 2.0 if abs(published) < 10 else 5.0


_JW, _TS, _V = "jain_wallace_2019", "tutek_snajder_2020", "vashishth_2019"
_TAUS = ("tau_gradient", "tau_loo")
_ONE_PERCENT = "1 % (half a unit where that is more)"
_CHANGES = "5 points; 2 where the published change is under 10"

RULES = (
    Rule(_JW, "performance", ("f1", "accuracy", "micro_f1"), _within(0.02), "0.02", 2),
    Rule(_JW, "tau mean", tuple(f"{tau}_mean" for tau in _TAUS), _within(0.10), "0.10", 2),
    Rule(
        _JW,
        "significant fraction",
        tuple(f"{tau}_significant_fraction" for tau in _TAUS),
        _within(0.15),
        "0.15",
        2,
    ),
    Rule(_JW, COUNTS, ("vocab_size", "avg_length", "train_size", "test_size"), _count, _ONE_PERCENT, 0),
    Rule(_TS, "F1", ("f1_trained",), _within(2.0), "2 points", 1),
    Rule(
        _TS,
        "F1 drop",
        ("f1_drop_uniform", "f1_drop_permuted"),
        _drop,
        "5 points, or 30 % of the published drop",
        1,
    ),
    Rule(
        _TS,
        "mutual information",
        ("mutual_information_most_frequent", "mutual_information_random_sample"),
        _within(0.5),
        "0.5",
        3,
    ),
    Rule(_TS, "per-token probability", ("per_token_probability",), _within(0.05), "0.05", 3),
    Rule(_TS, COUNTS, ("vocab_size", "avg_length"), _count, _ONE_PERCENT, 0),
    Rule(_V, "accuracy", ("accuracy",), _within(2.0), "2 points", 1),
    Rule(_V, "accuracy change", ("accuracy_change",), _change, _CHANGES, 1),
    Rule(_V, "BLEU", ("bleu",), _within(3.0), "3", 1),
    Rule(_V, "BLEU change", ("bleu_change",), _change, _CHANGES, 1),
)
_BY_METRIC = {(rule.paper, metric): rule for rule in RULES for metric in rule.metrics}


def rule(paper: str, metric: str) -> Rule | None:
    """The rule of this metric, None where figures are shown but not judged."""
    return _BY_METRIC.get((paper, metric))
