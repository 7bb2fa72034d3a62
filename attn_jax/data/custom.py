"""A user's own file as a corpus: `.jsonl`, `.csv` or `.tsv` (plain or .gz) with `text` and `label`.

Optional columns: `text2` (a second sequence), `rationale` (the evidence, as character spans of `text`:
`[[0, 4], [10, 17]]` in JSON, `0:4 10:17` in a table), `split` (train, dev or test).
"""

import dataclasses
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from attn_jax.data.loaders.jsonlines import field, objects
from attn_jax.data.loaders.raw import LabelIds, RawExample, label_id
from attn_jax.data.loaders.table import Table
from attn_jax.data.specs.spec import DatasetSpec, Layout, Part, Source, Splits
from attn_jax.errors import UserError

DELIMITERS = {".csv": ",", ".tsv": "\t"}
SUFFIXES = (".jsonl", *DELIMITERS)
_PARTS = {"train": "train", "dev": "dev", "val": "dev", "valid": "dev", "validation": "dev", "test": "test"}
_SPAN = re.compile(r"(\d{1,9}):(\d{1,9})")


def is_file(name: str) -> bool:
    """Whether a dataset's name means a file of the user's."""
    return Path(name.removesuffix(".gz")).suffix in SUFFIXES


def spec_of(path: Path) -> DatasetSpec:
    """What the file itself says: labels in their order, splits, one sequence or two.

    The name is never that of a published corpus, so no record can be taken for a published cell.
    """
    names, parts, paired = _survey(path)
    ids = {name: i for i, name in enumerate(names)}
    sources = {part or "train": Source(OwnFile(part, paired), (path.name,), ids) for part in parts}
    return DatasetSpec(
        name=f"own/{path.name.removesuffix('.gz').rpartition('.')[0]}",
        title=f"your own file {path.name}",
        kind="pair" if paired else "single",
        labels=names,
        published="your own file",
        layouts=(Layout(sources),),
        splits=Splits(stratified=True),
    )


@dataclasses.dataclass(frozen=True)
class OwnFile:
    """Reads the rows of one split, or all rows where the file names none."""

    part: Part | None
    paired: bool

    def read(self, files: Sequence[Path], labels: LabelIds) -> Iterator[RawExample]:
        """One instance a row."""
        for path in files:
            for number, (where, row) in enumerate(rows(path)):
                if _part(row, where) == self.part:
                    yield self._example(row, labels, f"{path.name}:{number}", where)

    def _example(self, row: dict[str, Any], labels: LabelIds, name: str, where: str) -> RawExample:
        text = field(row, "text", where)
        label = label_id(labels, field(row, "label", where), where)
        assert label is not None  # an own file drops no label
        text2 = field(row, "text2", where) if self.paired else None
        return RawExample(name, text, label, text2, _spans(row, text, where), where=where)


def rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """(file and line, row) of each row, whatever the format."""
    suffix = Path(path.name.removesuffix(".gz")).suffix
    if suffix == ".jsonl":
        yield from objects(path)
        return
    table = Table(label="label", text=("text",), delimiter=DELIMITERS[suffix])
    yield from ((f"{path}, line {number}", row) for number, row in table.rows(path))


def _survey(path: Path) -> tuple[tuple[str, ...], tuple[Part | None, ...], bool]:
    """(label names, splits in order or (None,), whether there is a second text)."""
    labels: set[str] = set()
    parts: dict[Part | None, None] = {}
    paired = False
    for where, row in rows(path):
        labels.add(field(row, "label", where))
        parts[_part(row, where)] = None
        paired = paired or bool(row.get("text2"))
    if len(labels) < 2:
        raise UserError(f"{path}: it has {len(labels)} labels and needs at least two; add rows.")
    if None in parts and len(parts) > 1:
        raise UserError(f"{path}: some rows have a split and some have none; fill the column or remove it.")
    if None not in parts and "train" not in parts:
        raise UserError(f"{path}: no row is in the split train; mark some.")
    return tuple(sorted(labels, key=_order)), tuple(parts), paired


def _order(label: str) -> tuple[bool, int, str]:
    """Whole numbers by value, before words by letter."""
    number = label.isascii() and label.isdigit()
    return not number, int(label) if number else 0, label


def _part(row: dict[str, Any], where: str) -> Part | None:
    split = row.get("split")
    if split is None or split == "":
        return None
    if not isinstance(split, str) or split not in _PARTS:
        raise UserError(f"{where}: unknown split {str(split)[:40]!r}; use train, dev or test.")
    return _PARTS[split]


def _spans(row: dict[str, Any], text: str, where: str) -> tuple[tuple[int, int], ...] | None:
    value = row.get("rationale")
    if value is None:
        return None
    spans = _written(value) if isinstance(value, str) else _listed(value)
    if spans is None or not all(0 <= start < end <= len(text) for start, end in spans):
        raise UserError(f"{where}: rationale must be spans start:end inside the text; correct the row.")
    return spans


def _written(value: str) -> tuple[tuple[int, int], ...] | None:
    matches = [_SPAN.fullmatch(span) for span in value.split()]
    return tuple((int(m[1]), int(m[2])) for m in matches if m) if all(matches) else None


def _listed(value: Any) -> tuple[tuple[int, int], ...] | None:
    spans: list[tuple[int, int]] = []
    for pair in value if isinstance(value, list) else [None]:
        if not isinstance(pair, list) or [type(end) for end in pair] != [int, int]:
            return None
        spans.append((pair[0], pair[1]))
    return tuple(spans)
