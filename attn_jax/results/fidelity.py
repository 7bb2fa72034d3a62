"""Each published cell beside our own figure: reproduced, not reproduced, not comparable, not run.

What was found under other settings stands beside a cell and does not judge it (`probes`); if it lies within
tolerance, it is a tested explanation of why ours under the paper's own settings does not.
"""

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Literal

from attn_jax.results import comparable, explanations, pool, probes, published, tolerances
from attn_jax.results.pool import Key
from attn_jax.results.probes import Probe
from attn_jax.results.records import Record

Verdict = Literal["reproduced", "not reproduced", "not comparable", "not run"]
VERDICTS: tuple[Verdict, ...] = ("reproduced", "not reproduced", "not comparable", "not run")
_TRIED = "tried"  # how a reason begins that explains nothing, here and in `explanations.csv`
_ROUNDING = 1e-9  # of binary fractions: a difference of exactly the tolerance is within it


@dataclasses.dataclass(frozen=True)
class Cell:
    """One published figure and what became of it.

    `reason` says why it is not comparable, or holds a tested explanation of why it is not reproduced, or
    what was tried and explains nothing. `others` are the same figure under other settings, in the order of
    their names.
    """

    key: Key
    published: float
    std: float | None
    record: Record | None
    verdict: Verdict
    reason: str = ""
    others: tuple[Probe, ...] = ()

    def field(self, name: str) -> str:
        """A field of the key by its name."""
        return self.key[published.KEY.index(name)]

    @property
    def explained(self) -> bool:
        """Whether the reason explains; tests without success are none."""
        return bool(self.reason) and not self.reason.startswith(_TRIED)

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
    others = probes.beside(ours, {key for key, _, _ in table})
    return [
        _judged(Cell(key, value, std, ours.get(key), "not run", "", others.get(key, ())), remarks, run)
        for key, value, std in table
        if paper in ("", key[0])
    ]


def under(cells: Iterable[Cell], setting: str) -> list[Cell]:
    """The cells as runs under that setting would answer them; where there is none, they are not run."""
    return [
        _answered(cell, next((p.record for p in cell.others if p.setting == setting), None)) for cell in cells
    ]


def _answered(cell: Cell, record: Record | None) -> Cell:
    verdict = "not run" if record is None else "reproduced" if cell.holds(record) else "not reproduced"
    return dataclasses.replace(cell, record=record, verdict=verdict, reason="", others=())


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
    """The settings under which the published figure does come out, or those that were tried in vain."""
    good = [probe.setting for probe in cell.others if cell.holds(probe.record)]
    if good:
        return f"tested: within tolerance under the settings {', '.join(good)}"
    names = ", ".join(probe.setting for probe in cell.others)
    return f"{_TRIED}, and none within tolerance: the settings {names}" if names else ""


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
