"""The verdict of the debate for a terminal: a block a question, nothing wider than the screen."""

import textwrap
from collections.abc import Iterator, Sequence

from attn_jax.report import debate_document, numbers, terminal
from attn_jax.report.grid import Footnotes
from attn_jax.results.debate import Ask, Row


def text(rows: Sequence[Row], unanswered: Sequence[Ask], title: str, width: int = 88) -> str:
    """Every row, its limits by number, then what was not asked and what no test here can say."""
    heading = f"Is attention an explanation? {title}"
    footnotes = Footnotes()
    lines = [heading, "=" * min(len(heading), width), ""]
    for row in rows:
        lines += [*_block(row, footnotes, width), ""]
    lines += [textwrap.fill(f"[{i}] {note}", width) for i, note in enumerate(footnotes.texts, start=1)]
    lines += ["", *(textwrap.fill(limit, width) for limit in debate_document.limits(unanswered))]
    return "\n".join(terminal.printable(line) for line in "\n".join(lines).splitlines()) + "\n"


def _block(row: Row, footnotes: Footnotes, width: int) -> Iterator[str]:
    yield f"{row.question} [{row.test}]"
    counted = f"n {numbers.count(row.n)}, seeds {numbers.count(row.seeds)}"
    parts = [f"{debate_document.figure(row)}  ({row.measure}; {counted})"]
    for name, value in (("null", row.null), ("ceiling", row.ceiling)):
        if value is not None:
            parts.append(f"{name} {numbers.number(value, digits=3)}")
    parts += [row.beside, row.recalled]
    yield _indented("; ".join(filter(None, parts)), width)
    notes = footnotes.refer([*row.limits, row.caveat])
    sides = f"As predicted by {row.predicted_by} ({row.lines}). " if row.predicted_by else ""
    yield _indented(f"{sides}Limits: {notes}." if notes else sides, width)


def _indented(paragraph: str, width: int) -> str:
    return textwrap.fill(paragraph, width, initial_indent="  ", subsequent_indent="  ")
