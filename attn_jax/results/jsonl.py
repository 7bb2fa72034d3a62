"""Rows of numbers and words, one JSON object a line: metrics, timings."""

import json
import pathlib
from collections.abc import Iterable, Mapping
from typing import Any

from attn_jax.errors import UserError
from attn_jax.results import atomic


def write(path: pathlib.Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Replaces `path` by these rows, atomically: a resumed run rewrites what it remembers.

    Raises:
        UserError: a number is not finite (JSON has no NaN), or the file cannot be written.
    """
    lines = [_line(path, number, row) for number, row in enumerate(rows, start=1)]
    atomic.write_text(path, "".join(lines))


def read(path: pathlib.Path) -> list[dict[str, Any]]:
    """The rows of a file that `write` made.

    Raises:
        UserError: the file cannot be read or a line is not a JSON object; names file and line.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read {path}: {error}; run the experiment again.") from error
    return [_row(f"{path}, line {i}", line) for i, line in enumerate(lines, start=1) if line.strip()]


def _line(path: pathlib.Path, number: int, row: Mapping[str, Any]) -> str:
    try:
        return json.dumps(row, sort_keys=True, allow_nan=False) + "\n"
    except ValueError as error:
        raise UserError(f"{path}, line {number}: a number in {dict(row)} is not finite.") from error


def _row(place: str, line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{place}: not JSON ({error}); delete the line or run again.") from error
    if not isinstance(row, dict):
        raise UserError(f"{place}: must be a JSON object; delete the line or run again.")
    return row
