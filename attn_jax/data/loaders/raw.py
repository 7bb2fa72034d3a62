"""What every loader takes and yields: files and label ids in, instances as published out."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from attn_jax.errors import UserError

# The published label to our id; None drops the instance (SST's neutral, SNLI's "-").
LabelIds = Mapping[str, int | None]


@dataclasses.dataclass(frozen=True)
class RawExample:
    """One instance. Spans are (start, end) character offsets into `text`."""

    id: str
    text: str
    label: int
    text2: str | None = None
    spans: tuple[tuple[int, int], ...] | None = None  # the evidence, human or simulated
    choices: tuple[int, ...] | None = None
    where: str = ""  # file and line, for the sentence that says what is wrong with it


@runtime_checkable
class Loader(Protocol):
    """Reads one published format. A frozen dataclass, so that its repr states every setting."""

    def read(self, files: Sequence[Path], labels: LabelIds) -> Iterator[RawExample]:
        """Streams the instances of one split's files, in order; dropped labels are skipped."""
        ...


def label_id(labels: LabelIds, value: str, where: str) -> int | None:
    """The id of a published label; an unknown one is named."""
    if value not in labels:
        known = ", ".join(sorted(labels))
        raise UserError(f"{where}: unknown label {value[:40]!r}, expected one of {known}; correct the row.")
    return labels[value]
