"""A table as text, before anyone decides whether it goes to a page, a file or a terminal."""

import dataclasses
import html
from collections.abc import Iterable, Sequence
from typing import Literal

Kind = Literal["text", "number", "verdict"]
# The colour of a verdict by how it starts; the words carry it, the colour only helps.
_TONES = {
    "reproduced": "for",
    "holds": "for",
    "yes": "for",
    "not reproduced": "against",
    "does not hold": "against",
    "no": "against",
    "undecided": "mixed",
}


@dataclasses.dataclass(frozen=True)
class Column:
    """`kind` decides how cells are set: numbers to the right, verdicts in their colour."""

    name: str
    kind: Kind = "text"


@dataclasses.dataclass(frozen=True)
class Grid:
    """Every cell as text; `footnotes` are numbered from 1, and cells refer to them by number."""

    title: str
    note: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    footnotes: tuple[str, ...] = ()

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        head = "".join(f"<th>{html.escape(column.name)}</th>" for column in self.columns)
        rows = "".join(f"<tr>{''.join(f'<td>{html.escape(c)}</td>' for c in row)}</tr>" for row in self.rows)
        notes = "".join(f"<li>{html.escape(note)}</li>" for note in self.footnotes)
        title = f"<h4>{html.escape(self.title)}</h4><p>{html.escape(self.note)}</p>"
        return f"{title}<table><tr>{head}</tr>{rows}</table><ol>{notes}</ol>"

    def trimmed(self) -> "Grid":
        """Without the columns that are empty throughout."""
        kept = [place for place in range(len(self.columns)) if any(row[place] for row in self.rows)]
        rows = tuple(tuple(row[place] for place in kept) for row in self.rows)
        return dataclasses.replace(self, columns=tuple(self.columns[place] for place in kept), rows=rows)


@dataclasses.dataclass(frozen=True)
class Document:
    """Tables with a title and an introduction; `name` is that of its files."""

    name: str
    title: str
    lead: tuple[str, ...]  # paragraphs
    grids: tuple[Grid, ...]

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        lead = "".join(f"<p>{html.escape(paragraph)}</p>" for paragraph in self.lead)
        tables = "".join(grid._repr_html_() for grid in self.grids)
        return f"<h3>{html.escape(self.title)}</h3>{lead}{tables}"


class Footnotes:
    """Numbers texts that would be too long for a cell, each once."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def refer(self, texts: Iterable[str]) -> str:
        """The numbers of these texts: "1, 3"."""
        found = {self._numbers.setdefault(text, len(self._numbers) + 1) for text in texts if text}
        return ", ".join(map(str, sorted(found)))

    @property
    def texts(self) -> tuple[str, ...]:
        """In the order of their numbers."""
        return tuple(self._numbers)


def columns(text: Sequence[str], numbers: Sequence[str], verdicts: Sequence[str] = ()) -> tuple[Column, ...]:
    """Columns of text, then of numbers, then of verdicts."""
    kinds: list[tuple[Sequence[str], Kind]] = [(text, "text"), (numbers, "number"), (verdicts, "verdict")]
    return tuple(Column(name, kind) for names, kind in kinds for name in names)


def tone(verdict: str) -> str:
    """The colour of a verdict, "" where it takes no side."""
    return _TONES.get(verdict.split(" (")[0], "")
