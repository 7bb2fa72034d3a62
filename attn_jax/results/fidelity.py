"""Each published cell beside our own figure: reproduced, not reproduced, not comparable, not run."""

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Literal

from attn_jax.results import comparable, explanations, pool, published, tolerances
from attn_jax.results.pool import Key
from attn_jax.results.records import Record

Verdict = Literal["reproduced", "not reproduced", "not comparable", "not run"]
VERDICTS: tuple[Verdict, ...] = ("reproduced", "not reproduced", "not comparable", "not run")
_ROUNDING = 1e-9  # of binary fractions: a difference of exactly the tolerance is within it


@dataclasses.dataclass(frozen=True)
class Cell:
    """One published figure and what became of it.

    `reason` says why it is not comparable, or holds a tested explanation of why it is not reproduced.
    """

    key: Key
    published: float
    std: float | None
    record: Record | None
    verdict: Verdict
    reason: str = ""

    def field(self, name: str) -> str:
        """A field of the key by its name."""
        return self.key[published.KEY.index(name)]

    @property
    def judged(self) -> bool:
        """Whether it counts in a share."""
        return self.verdict in ("reproduced", "not reproduced")


def cells(found: Iterable[Record], paper: str = "") -> list[Cell]:
    """Every published cell, in the order of the papers' tables; `paper` keeps one of them."""
    ours, remarks = pool.best(found), explanations.load()
    run = {(record.paper, record.dataset) for record in ours.values()}
    return [
        _cell(tuple(key), value, std, ours, remarks, run)
        for *key, value, std in published.load().iter_rows()
        if paper in ("", key[0])
    ]


def _cell(
    key: Key,
    value: float,
    std: float | None,
    ours: Mapping[Key, Record],
    remarks: Mapping[tuple[Key, str], str],
    run: set[tuple[str, str]],
) -> Cell:
    record = ours.get(key)
    if record is None:
        reason = _substituted(key, run)
        return Cell(key, value, std, None, "not comparable" if reason else "not run", reason)
    reason = remarks.get((key, "not comparable"), "") or comparable.objection(record)
    if reason:
        return Cell(key, value, std, record, "not comparable", reason)
    if abs(record.value - value) <= allowed(key, value) + _ROUNDING:
        return Cell(key, value, std, record, "reproduced")
    return Cell(key, value, std, record, "not reproduced", remarks.get((key, "not reproduced"), ""))


def allowed(key: Key, value: float) -> float:
    """The tolerance of a published cell that has one."""
    rule = tolerances.rule(key[0], key[-1])
    assert rule is not None, key
    return rule.allowed(value)


def _substituted(key: Key, run: set[tuple[str, str]]) -> str:
    """Why a run on other data does not answer this cell; "" where there was none."""
    paper, dataset = key[0], key[published.KEY.index("dataset")]
    substitute, why = comparable.SUBSTITUTES.get(dataset, ("", ""))
    return why if (paper, substitute) in run else ""
