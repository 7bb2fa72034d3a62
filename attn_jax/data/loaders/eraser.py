"""ERASER: annotations as JSON lines, documents as files of their own, evidence as token spans."""

import dataclasses
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from attn_jax.data.loaders.jsonlines import field, objects
from attn_jax.data.loaders.raw import LabelIds, RawExample, label_id
from attn_jax.data.loaders.reading import document
from attn_jax.errors import UserError

_WORD = re.compile(r"\S+")


@dataclasses.dataclass(frozen=True)
class Eraser:
    """One document an annotation (movies); the first file holds the annotations, the rest are documents."""

    def read(self, files: Sequence[Path], labels: LabelIds) -> Iterator[RawExample]:
        """One instance an annotation; the evidence is the union of all annotated spans."""
        annotations, *rest = files
        documents = {path.name: path for path in rest}
        for where, row in objects(annotations):
            label = label_id(labels, field(row, "classification", where), where)
            if label is None:
                continue
            name = field(row, "annotation_id", where)
            if name not in documents:
                raise UserError(f"{where}: its document {name[:60]!r} is not in docs; get the whole archive.")
            text = document(documents[name])
            yield RawExample(name, text, label, spans=_spans(row, text, where), where=where)


def _spans(row: dict[str, Any], text: str, where: str) -> tuple[tuple[int, int], ...]:
    """The evidence as character spans."""
    words = [match.span() for match in _WORD.finditer(text)]
    spans = []
    for start, end in _token_spans(row.get("evidences"), where):
        if not 0 <= start < end <= len(words):
            raise UserError(f"{where}: evidence {start}:{end} is outside the document; correct the row.")
        spans.append((words[start][0], words[end - 1][1]))
    return tuple(spans)


def _token_spans(evidences: Any, where: str) -> Iterator[tuple[int, int]]:
    try:
        for group in evidences:
            for evidence in group:
                yield int(evidence["start_token"]), int(evidence["end_token"])
    except (TypeError, KeyError, ValueError, OverflowError) as error:
        raise UserError(
            f"{where}: evidences must be lists of spans with start_token and end_token."
        ) from error
