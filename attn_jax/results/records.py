"""The tidy record: one statistic of one run, under the key of the published cell that it answers.

`records.csv` has the columns of `published.csv`, then `n, seeds, ci_low, ci_high, std_over, caveat, run`.
Values are on the published scale of the paper named in the key; statistics that no paper prints
carry `paper = attn_jax`.
"""

import csv
import dataclasses
import io
import math
import pathlib
from collections.abc import Iterable

import polars as pl

from attn_jax.errors import UserError
from attn_jax.results import atomic, published

OURS = "attn_jax"  # the `paper` of a statistic that no paper prints
STD_OVER = ("", "instances", "seeds")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Record:
    """One statistic. The field order is the column order of `records.csv`; None is an empty cell."""

    paper: str = OURS
    table: str = ""
    dataset: str = ""
    encoder: str = ""
    attention: str = ""
    variant: str = ""
    label: str = ""  # a label id, "" for all classes
    metric: str
    value: float
    std: float | None = None
    n: int | None = None  # instances behind the value, over all seeds
    seeds: int | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    std_over: str = ""  # what `std` and the interval vary over, one of STD_OVER
    caveat: str = ""
    run: str = ""

    def key(self) -> tuple[str, ...]:
        """What a published cell and this record are joined on."""
        return tuple(getattr(self, name) for name in published.KEY)


COLUMNS = tuple(field.name for field in dataclasses.fields(Record))
_FLOATS = ("value", "std", "ci_low", "ci_high")
_COUNTS = ("n", "seeds")


def write(path: pathlib.Path, records: Iterable[Record]) -> None:
    """Replaces `path` by these records, atomically.

    Raises:
        UserError: a value is not finite, a field is out of range, or two records share key and run.
    """
    records = list(records)
    _check_all((f"{path}, record {i + 1}", record) for i, record in enumerate(records))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([_cell(record, name) for name in COLUMNS] for record in records)
    atomic.write_text(path, text.getvalue())


def read(path: pathlib.Path) -> list[Record]:
    """The records of a file that `write` made (or a stranger: nothing is trusted).

    Raises:
        UserError: the file is missing or malformed; the sentence names file and line.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            placed = list(_rows(path, csv.reader(file, strict=True)))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UserError(f"cannot read records from {path}: {error}; run the experiment again.") from error
    _check_all(placed)
    return [record for _, record in placed]


def frame(records: Iterable[Record]) -> pl.DataFrame:
    """The records as a frame with the columns of `records.csv`, for joins with `published.load()`."""
    numbers = {**dict.fromkeys(_FLOATS, pl.Float64), **dict.fromkeys(_COUNTS, pl.Int64)}
    schema = {**dict.fromkeys(COLUMNS, pl.String), **numbers}
    return pl.DataFrame([dataclasses.asdict(record) for record in records], schema=schema)


def _cell(record: Record, name: str) -> str:
    """One field as text; floats with all their digits, so that reading gives back what was written."""
    value = getattr(record, name)
    if value is None or name not in _FLOATS + _COUNTS:
        return value or ""
    return repr(float(value)) if name in _FLOATS else str(int(value))


def _rows(path: pathlib.Path, reader) -> Iterable[tuple[str, Record]]:
    """(place, record) of each row after the header."""
    header = next(reader, [])
    if tuple(header) != COLUMNS:
        raise UserError(f"{path}, line 1: the header must be {','.join(COLUMNS)}, not {','.join(header)!r}.")
    for row in reader:
        place = f"{path}, line {reader.line_num}"
        if len(row) != len(COLUMNS):
            raise UserError(f"{place}: {len(row)} fields where there must be {len(COLUMNS)}.")
        yield place, _parse(place, dict(zip(COLUMNS, row, strict=True)))


def _parse(place: str, row: dict[str, str]) -> Record:
    typed: dict = dict(row)
    for name in _FLOATS + _COUNTS:
        typed[name] = _number(place, name, row[name])
    return Record(**typed)


def _number(place: str, name: str, text: str) -> float | int | None:
    if not text and name != "value":
        return None
    try:
        return int(text) if name in _COUNTS else float(text)
    except ValueError as error:
        raise UserError(f"{place}: {name} must be a number, not {text!r}.") from error


def _check_all(placed: Iterable[tuple[str, Record]]) -> None:
    seen: dict[tuple[str, ...], str] = {}
    for place, record in placed:
        _check(place, record)
        key = (*record.key(), record.run)
        if key in seen:
            raise UserError(f"{place}: the key {'/'.join(key)} already stands in {seen[key]}; one must go.")
        seen[key] = place


def _check(place: str, record: Record) -> None:
    """What must hold of one record, on the way out as on the way in."""
    for name in _FLOATS:
        value = getattr(record, name)
        if value is not None and not math.isfinite(value):
            raise UserError(f"{place}: {name} of {record.metric} is {value}; count such instances instead.")
    if not record.paper or not record.metric:
        raise UserError(f"{place}: paper and metric must not be empty.")
    if record.std_over not in STD_OVER:
        raise UserError(f"{place}: std_over must be one of {STD_OVER}, not {record.std_over!r}.")
    if any((getattr(record, name) or 0) < 0 for name in _COUNTS):
        raise UserError(f"{place}: n and seeds of {record.metric} must not be negative.")
    if record.ci_low is not None and record.ci_high is not None and record.ci_low > record.ci_high:
        raise UserError(f"{place}: ci_low of {record.metric} is above its ci_high.")
