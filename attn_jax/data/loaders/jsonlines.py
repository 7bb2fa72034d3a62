"""One JSON object a line: IMDB, SNLI, MultiNLI, Yelp reviews and a user's own files."""

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attn_jax.data.loaders.raw import LabelIds, RawExample, label_id
from attn_jax.data.loaders.reading import lines
from attn_jax.errors import UserError


def objects(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """(file and line, object) of each line that is not blank."""
    for number, line in lines(path):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise UserError(f"{where}: not valid JSON ({_reason(error)}); correct the line.") from error
        if not isinstance(value, dict):
            raise UserError(f"{where}: expected a JSON object with named fields; correct the line.")
        yield where, value


def _reason(error: Exception) -> str:
    return error.msg if isinstance(error, json.JSONDecodeError) else "nested too deeply or a number too long"


def field(row: Mapping[str, Any], name: str, where: str) -> str:
    """A field as text; whole numbers are labels too, so 1 and 1.0 read as "1"."""
    value = row.get(name)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise UserError(f"{where}: field {name!r} is missing or not text; correct the row.")
    return str(value)


@dataclasses.dataclass(frozen=True)
class JsonLines:
    """Names of the fields to read; `id` may be missing in a file, then file and line name the row."""

    text: str = "text"
    label: str = "label"
    text2: str | None = None
    id: str | None = None

    def read(self, files: Sequence[Path], labels: LabelIds) -> Iterator[RawExample]:
        """One instance a line."""
        for path in files:
            for where, row in objects(path):
                label = label_id(labels, field(row, self.label, where), where)
                if label is None:
                    continue
                name = f"{path.name}:{where.rpartition(' ')[2]}"
                yield RawExample(
                    field(row, self.id, where) if self.id else name,
                    field(row, self.text, where),
                    label,
                    None if self.text2 is None else field(row, self.text2, where),
                    where=where,
                )
