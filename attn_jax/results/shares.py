"""What share of the published cells is reproduced, and what that share is worth.

A share means something only above that of the best single constant, which knows nothing of the
cells; Spearman's correlation says whether ours are at least in the published order.
"""

import dataclasses
from collections.abc import Iterator, Sequence

import numpy as np
import scipy.stats

from attn_jax.results import tolerances
from attn_jax.results.fidelity import Cell, Verdict, allowed
from attn_jax.results.tolerances import COUNTS, Rule

_ROUNDING = 1e-9
_ENOUGH = 3  # cells, for a correlation


@dataclasses.dataclass(frozen=True)
class Share:
    """The cells of one group of metrics, or of one metric of it."""

    paper: str
    group: str
    metric: str  # "" for the whole group
    tolerance: str
    counts: dict[Verdict, int]
    constant: float | None  # the figure that lies within tolerance of most judged cells
    constant_share: float | None
    spearman: float | None

    @property
    def judged(self) -> int:
        """Cells that were run and can be compared."""
        return self.counts["reproduced"] + self.counts["not reproduced"]

    @property
    def share(self) -> float | None:
        """Of the judged cells, how many are reproduced."""
        return self.counts["reproduced"] / self.judged if self.judged else None

    @property
    def beats_constant(self) -> bool | None:
        """Whether the share means something; None where nothing was judged."""
        if self.share is None or self.constant_share is None:
            return None
        return self.share > self.constant_share + _ROUNDING


def shares(cells: Sequence[Cell]) -> list[Share]:
    """A row a group, then one a metric where a group has several; counts of data come last."""
    present = {(cell.field("paper"), cell.field("metric")) for cell in cells}
    rules = [rule for rule in tolerances.RULES if any((rule.paper, m) in present for m in rule.metrics)]
    rules.sort(key=lambda rule: rule.group == COUNTS)
    return [share for rule in rules for share in _of_rule(rule, cells)]


def _of_rule(rule: Rule, cells: Sequence[Cell]) -> Iterator[Share]:
    own = [cell for cell in cells if cell.field("paper") == rule.paper]
    grouped = [cell for cell in own if cell.field("metric") in rule.metrics]
    yield _share(rule, "", grouped)
    if len(rule.metrics) > 1:
        for metric in rule.metrics:
            yield _share(rule, metric, [cell for cell in grouped if cell.field("metric") == metric])


def _share(rule: Rule, metric: str, cells: Sequence[Cell]) -> Share:
    counts: dict[Verdict, int] = {"reproduced": 0, "not reproduced": 0, "not comparable": 0, "not run": 0}
    for cell in cells:
        counts[cell.verdict] += 1
    judged = [cell for cell in cells if cell.judged]
    constant, constant_share = best_constant(judged) if judged else (None, None)
    return Share(
        rule.paper, rule.group, metric, rule.words, counts, constant, constant_share, _spearman(judged)
    )


def best_constant(cells: Sequence[Cell]) -> tuple[float, float]:
    """(the constant, the share of these cells that it lies within tolerance of), by brute force.

    Some best constant is the upper end of a tolerance interval, so those ends are all that is tried;
    given back is the middle of what serves as well.
    """
    values = np.array([cell.published for cell in cells])
    margins = np.array([allowed(cell.key, cell.published) for cell in cells])
    tried = values + margins
    hits = np.abs(tried[:, None] - values[None, :]) <= margins[None, :] + _ROUNDING
    best = int(np.argmax(hits.mean(axis=1)))
    low, high = (values - margins)[hits[best]].max(), (values + margins)[hits[best]].min()
    return float(low + high) / 2, float(hits[best].mean())


def _spearman(cells: Sequence[Cell]) -> float | None:
    """Of ours with the published; None where either does not vary or the cells are few."""
    pairs = [(cell.published, cell.record.value) for cell in cells if cell.record is not None]
    if len(pairs) < _ENOUGH or any(len(set(side)) < 2 for side in zip(*pairs, strict=True)):
        return None
    ranks = scipy.stats.rankdata(np.array(pairs), axis=0)
    return float(np.corrcoef(ranks, rowvar=False)[0, 1])
