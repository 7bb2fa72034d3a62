"""Confusion tables and agreement of human annotators (Vashishth et al. 2019, Figure 5)."""

import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from attn_jax.results.annotation import Item, Kind
from attn_jax.results.records import Record
from attn_jax.results.vashishth import PAPER

Given = Mapping[str, Mapping[str, bool]]  # annotator -> key of an item -> relevant?
KINDS: tuple[Kind, ...] = get_args(Kind)
CELLS = ("right_meaningful", "right_not_meaningful", "wrong_meaningful", "wrong_not_meaningful")
# The paper shows one bAbI table without saying of which task.
_PRINTED = {"babi1": "babi", "babi2": "babi", "babi3": "babi"}


@dataclasses.dataclass(frozen=True)
class Table:
    """Percent of the judgements in each of `CELLS`, and how many judgements there are."""

    shares: Mapping[str, float]
    judgements: int


def tables(items: Sequence[Item], given: Given) -> dict[Kind, Table]:
    """One table a kind, the judgements of all annotators together; a kind without any is left out."""
    found = {}
    for kind in KINDS:
        judged = [
            _cell(item.right, answers[item.key])
            for item in items
            for answers in given.values()
            if item.kind == kind and item.key in answers
        ]
        if judged:
            shares = {cell: 100 * judged.count(cell) / len(judged) for cell in CELLS}
            found[kind] = Table(shares, len(judged))
    return found


def kappa(given: Given) -> float | None:
    """Cohen's kappa on relevance, the mean over pairs of annotators; None where no pair defines it."""
    pairs = itertools.combinations(given.values(), 2)
    known = [value for first, second in pairs if (value := cohen_kappa(first, second)) is not None]
    return sum(known) / len(known) if known else None


def cohen_kappa(first: Mapping[str, bool], second: Mapping[str, bool]) -> float | None:
    """(p_o - p_e) / (1 - p_e) over the items that both judged (Cohen 1960).

    None where there are none, or both always say the same one thing.
    """
    both = [(first[key], second[key]) for key in first if key in second]
    if not both:
        return None
    observed = sum(a == b for a, b in both) / len(both)
    yes_first, yes_second = (sum(column) / len(both) for column in zip(*both, strict=True))
    expected = yes_first * yes_second + (1 - yes_first) * (1 - yes_second)
    return None if expected == 1 else (observed - expected) / (1 - expected)


def records_of(
    items: Sequence[Item], given: Given, *, dataset: str, model: str, caveat: str = ""
) -> list[Record]:
    """Figure 5 under its published keys; the model is named in the caveat, as the paper names none."""
    common: dict[str, Any] = {"paper": PAPER, "table": "figure5", "dataset": _PRINTED.get(dataset, dataset)}
    notes = f"{dataset}, {model}", f"{len(given)} annotators", caveat
    common |= {"caveat": "; ".join(filter(None, notes)), "run": f"{dataset}-{model}-annotation"}

    def made() -> Iterator[Record]:
        for kind, table in tables(items, given).items():
            for cell, share in table.shares.items():
                yield Record(**common, variant=kind, metric=cell, value=share, n=table.judgements)
        agreement = kappa(given)
        if agreement is not None:
            yield Record(**common, metric="cohen_kappa", value=agreement, n=len(items))

    return list(made())


def _cell(right: bool, relevant: bool) -> str:
    return f"{'right' if right else 'wrong'}_{'meaningful' if relevant else 'not_meaningful'}"
