"""Each published cell beside our own figure: reproduced, not reproduced, not comparable, not run.

A paper that prints no variants of its own may have been run under other settings too: those of its released
code, or a probe of what explains a difference. Such runs judge no cell, but stand beside it, and one that
lies within tolerance is a tested explanation of why the paper's own settings do not.
"""

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Literal

from attn_jax.results import comparable, explanations, pool, published, tolerances
from attn_jax.results.pool import Key
from attn_jax.results.records import Record

Verdict = Literal["reproduced", "not reproduced", "not comparable", "not run"]
VERDICTS: tuple[Verdict, ...] = ("reproduced", "not reproduced", "not comparable", "not run")
_VARIANT = published.KEY.index("variant")
_ROUNDING = 1e-9  # of binary fractions: a difference of exactly the tolerance is within it


@dataclasses.dataclass(frozen=True)
class Cell:
    """One published figure and what became of it.

    `reason` says why it is not comparable, or holds a tested explanation of why it is not reproduced.
    `others` are the same figure under other settings, in the order of their names.
    """

    key: Key
    published: float
    std: float | None
    record: Record | None
    verdict: Verdict
    reason: str = ""
    others: tuple[Record, ...] = ()

    def field(self, name: str) -> str:
        """A field of the key by its name."""
        return self.key[published.KEY.index(name)]

    @property
    def judged(self) -> bool:
        """Whether it counts in a share."""
        return self.verdict in ("reproduced", "not reproduced")

    def holds(self, record: Record) -> bool:
        """Whether a figure lies within tolerance of the published one."""
        return abs(record.value - self.published) <= allowed(self.key, self.published) + _ROUNDING


def cells(found: Iterable[Record], paper: str = "") -> list[Cell]:
    """Every published cell, in the order of the papers' tables; `paper` keeps one of them."""
    ours, remarks = pool.best(found), explanations.load()
    run = {(record.paper, record.dataset) for record in ours.values()}
    table = [(tuple(key), value, std) for *key, value, std in published.load().iter_rows()]
    others = _others(ours, {key for key, _, _ in table})
    return [
        _judged(Cell(key, value, std, ours.get(key), "not run", "", others.get(key, ())), remarks, run)
        for key, value, std in table
        if paper in ("", key[0])
    ]


def _others(ours: Mapping[Key, Record], printed: set[Key]) -> dict[Key, tuple[Record, ...]]:
    """What was found under other settings, by the published key that it would answer without them."""
    varied = {key[0] for key in printed if key[_VARIANT]}  # papers with variants of their own
    found: dict[Key, tuple[Record, ...]] = {}
    for key in sorted(ours, key=lambda key: key[_VARIANT]):
        plain = (*key[:_VARIANT], "", *key[_VARIANT + 1 :])
        if key[_VARIANT] and key[0] not in varied and plain in printed and not comparable.small(ours[key]):
            found[plain] = (*found.get(plain, ()), ours[key])
    return found


def _judged(cell: Cell, remarks: Mapping[tuple[Key, str], str], run: set[tuple[str, str]]) -> Cell:
    """The cell with its verdict and the reason for it."""
    if cell.record is None:
        reason = _substituted(cell.key, run)
        return dataclasses.replace(cell, verdict="not comparable" if reason else "not run", reason=reason)
    reason = remarks.get((cell.key, "not comparable"), "") or comparable.objection(cell.record)
    if reason:
        return dataclasses.replace(cell, verdict="not comparable", reason=reason)
    if cell.holds(cell.record):
        return dataclasses.replace(cell, verdict="reproduced")
    reason = remarks.get((cell.key, "not reproduced"), "") or _tested(cell)
    return dataclasses.replace(cell, verdict="not reproduced", reason=reason)


def _tested(cell: Cell) -> str:
    """The settings under which the published figure does come out; "" where none that was tried gives it."""
    good = [record.variant for record in cell.others if cell.holds(record)]
    return f"tested: within tolerance under the settings {', '.join(good)}" if good else ""


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
