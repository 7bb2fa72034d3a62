"""Comma- or tab-separated rows, with or without a header: AG News, SNLI and MultiNLI tables, ADR tweets."""

import csv
import dataclasses
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from attn_jax.data.loaders.raw import LabelIds, RawExample, label_id
from attn_jax.data.loaders.reading import lines
from attn_jax.errors import UserError

# The module's own limit of 131,072 characters is below a long discharge summary.
csv.field_size_limit(min(sys.maxsize, 2**31 - 1))


@dataclasses.dataclass(frozen=True)
class Table:
    """Which columns make an instance. `columns` names those of a file that has no header."""

    label: str
    text: tuple[str, ...]
    text2: str | None = None
    delimiter: str = ","
    columns: tuple[str, ...] = ()
    quoted: bool = True  # TSV files are mostly published without quoting: a quote is then a character

    def read(self, files: Sequence[Path], labels: LabelIds) -> Iterator[RawExample]:
        """One instance a row; several text columns are joined by a blank."""
        for path in files:
            for number, row in self.rows(path):
                where = f"{path}, line {number}"
                label = label_id(labels, row[self.label].strip(), where)
                if label is None:
                    continue
                text = " ".join(row[name] for name in self.text)
                text2 = None if self.text2 is None else row[self.text2]
                yield RawExample(f"{path.name}:{number}", text, label, text2, where=where)

    def rows(self, path: Path) -> Iterator[tuple[int, dict[str, str]]]:
        """(line number, fields by column name) of each row; the needed columns are there."""
        reader = self._reader(line for _, line in lines(path))
        columns = self.columns or tuple(next(_checked(reader, path), ()))
        needed = {self.label, *self.text, *([self.text2] if self.text2 else [])}
        if missing := needed.difference(columns):
            raise UserError(f"{path}, line 1: no column {', '.join(sorted(missing))}; add it to the header.")
        for fields in _checked(reader, path):
            if not fields:
                continue
            if len(fields) != len(columns):
                counts = f"{len(fields)} fields where there must be {len(columns)}"
                raise UserError(f"{path}, line {reader.line_num}: {counts}; correct the row or its quoting.")
            yield reader.line_num, dict(zip(columns, fields, strict=True))

    def _reader(self, source: Iterable[str]):
        # A line break inside quotes must survive, so each line gets its end back.
        ended = (line + "\n" for line in source)
        if self.quoted:
            return csv.reader(ended, delimiter=self.delimiter, strict=True)
        return csv.reader(ended, delimiter=self.delimiter, quoting=csv.QUOTE_NONE)


def _checked(reader, path: Path) -> Iterator[list[str]]:
    """The reader's rows; a malformed one is named."""
    try:
        yield from reader
    except csv.Error as error:
        raise UserError(f"{path}, line {reader.line_num}: {error}; correct the quoting.") from error
