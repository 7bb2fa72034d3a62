"""One instance as lines of shaded words: attention, what could stand in its place, and other measures.

Figure 1 of Jain & Wallace (2019), with the exact adversary below the searched one.
"""

import dataclasses
import html
import math
from collections.abc import Sequence
from typing import Any

from attn_jax.results.facts import decimal

_LINES = {
    "alpha": "Attention",
    "score/search_alpha": "Adversary, searched",
    "score/exact_alpha": "Adversary, exact",
    "score/gradient_x_input": "Gradient times input",
    "score/loo": "Deletion",
}
_DIVERGENCES = {"search_jsd": "search", "exact_jsd": "exact", "null_jsd": "null"}
_SHOWN = 300  # tokens of a very long instance


@dataclasses.dataclass(frozen=True)
class Word:
    """One token: its weight, how dark it is (0 to 1), and whether it may be, and ought to be, attended to."""

    text: str
    weight: str
    shade: str
    attendable: bool
    planted: bool


@dataclasses.dataclass(frozen=True)
class Line:
    """The same words under one measure; the weights of a line sum to 1."""

    name: str
    words: list[Word]


@dataclasses.dataclass(frozen=True)
class HeatMap:
    """One instance."""

    why: str
    id: str
    gold: str
    prediction: str
    probability: str
    divergences: list[tuple[str, str]]
    question: str
    lines: list[Line]
    hidden: int  # tokens left out at the end

    def _repr_html_(self) -> str:
        """What a notebook shows: the shade of each word in its own style."""
        head = f"{self.id}: predicted {self.prediction} at {self.probability}, gold {self.gold}"
        rows = "".join(
            f"<tr><td>{html.escape(line.name)}</td><td>{_shaded(line)}</td></tr>" for line in self.lines
        )
        return f"<p>{html.escape(head)}</p><table>{rows}</table>"


def heatmap(why: str, row: dict[str, Any], labels: Sequence[str]) -> HeatMap:
    """The heat map of one row of the frame of examples."""
    prediction = row["prediction"]
    return HeatMap(
        why=why,
        id=row["id"],
        gold=_name(row["gold"], labels),
        prediction=_name(prediction, labels),
        probability=decimal(row["probabilities"][prediction]),
        divergences=_divergences(row),
        question=" ".join(row.get("question") or []),
        lines=[Line(name, _words(row, column)) for column, name in _LINES.items() if _known(row, column)],
        hidden=max(0, len(row["tokens"]) - _SHOWN),
    )


def _shaded(line: Line) -> str:
    return " ".join(
        f'<span title="{word.weight}" style="background: rgb(219 123 18 / {word.shade})">'
        f"<bdi>{html.escape(word.text)}</bdi></span>"
        for word in line.words
    )


def _divergences(row: dict[str, Any]) -> list[tuple[str, str]]:
    """(name, nats) of each adversary; where the search ended outside the tolerance there is none."""
    known = [(name, decimal(row[c])) for c, name in _DIVERGENCES.items() if row.get(c) is not None]
    failed = row.get("search_feasible") is False
    return [(name, "none found" if failed and name == "search" else value) for name, value in known]


def _known(row: dict[str, Any], column: str) -> bool:
    """Whether there is such a line: a search that ended outside the tolerance found no adversary."""
    found = column != "score/search_alpha" or row.get("search_feasible", True)
    return bool(row.get(column)) and found


def _words(row: dict[str, Any], column: str) -> list[Word]:
    planted = row.get("rationale") or [False] * len(row["tokens"])
    cells = zip(row["tokens"], _weights(row[column]), row["mask"], planted, strict=True)
    # The square root lets small weights be seen; 1 is the darkest in every line.
    return [
        Word(text, decimal(weight, 3), decimal(math.sqrt(weight), 3), attendable, bool(is_planted))
        for text, weight, attendable, is_planted in list(cells)[:_SHOWN]
    ]


def _weights(scores: list[float]) -> list[float]:
    """Absolute scores as shares of their sum; an attention stays as it is."""
    total = math.fsum(abs(score) for score in scores)
    return [abs(score) / total if total > 0 else 0.0 for score in scores]


def _name(label: int, labels: Sequence[str]) -> str:
    return labels[label] if 0 <= label < len(labels) else str(label)
