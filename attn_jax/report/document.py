"""A document of tables in its three forms: a page, Markdown and plain text."""

import pathlib
import re
import textwrap

from attn_jax.report import templating, terminal
from attn_jax.report.grid import Document, Grid
from attn_jax.results import atomic


def write(document: Document, folder: pathlib.Path) -> list[pathlib.Path]:
    """NAME.html and NAME.md in the folder, each complete or not there; their paths."""
    page, text = folder / f"{document.name}.html", folder / f"{document.name}.md"
    atomic.write_text(page, html(document))
    atomic.write_text(text, markdown(document))
    return [page, text]


def html(document: Document) -> str:
    """A self-contained page."""
    return templating.render("document.html", document=document)


def markdown(document: Document) -> str:
    """The same as Markdown, every cell escaped."""
    parts = [f"# {_escaped(document.title)}", *map(_escaped, document.lead)]
    for grid in document.grids:
        parts += [f"## {_escaped(grid.title)}", _escaped(grid.note), _pipes(grid), _list(grid)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _pipes(grid: Grid) -> str:
    """The table itself; nothing where it has no rows."""
    if not grid.rows:
        return ""
    rule = ["---:" if column.kind == "number" else "---" for column in grid.columns]
    rows = [[column.name for column in grid.columns], rule, *grid.rows]
    return "\n".join(
        f"| {' | '.join(cells if cells is rule else [_escaped(c) for c in cells])} |" for cells in rows
    )


def _list(grid: Grid) -> str:
    return "\n".join(f"{i}. {_escaped(text)}" for i, text in enumerate(grid.footnotes, start=1))


def _escaped(text: str) -> str:
    """Text that comes from files opens no table cell, no tag, no link and no emphasis."""
    text = terminal.printable(" ".join(text.split()))
    text = re.sub(r"&(?=#?\w+;)", "&amp;", text).replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\|*`]|(?<=\])[(\[])", r"\\\1", text)


def plain(document: Document, width: int = 100) -> str:
    """The same for a terminal: prose wrapped to `width`, tables as wide as they need to be."""
    parts = [document.title, "=" * len(document.title), ""]
    parts += [textwrap.fill(paragraph, width) + "\n" for paragraph in document.lead]
    for grid in document.grids:
        parts += [*_heading(grid, width), *_lines(grid)]
        parts += [textwrap.fill(f"[{i}] {text}", width) for i, text in enumerate(grid.footnotes, start=1)]
        parts.append("")
    return "\n".join(terminal.printable(line).rstrip() for line in "\n".join(parts).splitlines()) + "\n"


def _heading(grid: Grid, width: int) -> list[str]:
    title = textwrap.fill(grid.title, width)
    note = [textwrap.fill(grid.note, width)] if grid.note else []
    return [title, "-" * min(len(grid.title), width), *note, ""]


def _lines(grid: Grid) -> list[str]:
    if not grid.rows:
        return []
    rows = [tuple(column.name for column in grid.columns), *grid.rows]
    widths = [max(len(row[place]) for row in rows) for place in range(len(grid.columns))]
    right = [column.kind == "number" for column in grid.columns]
    return [
        "  ".join(c.rjust(w) if r else c.ljust(w) for c, w, r in zip(row, widths, right, strict=True))
        for row in rows
    ] + [""]
