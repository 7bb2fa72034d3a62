"""One sentence a line; the label stands before it, or in the file's name."""

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path

from attn_jax.data.loaders.raw import LabelIds, RawExample, label_id
from attn_jax.data.loaders.reading import lines
from attn_jax.errors import UserError


@dataclasses.dataclass(frozen=True)
class LabelledLines:
    """`label sentence` lines (the SST binary files), or `sentiment.dev.0` with the label as the suffix."""

    label_in_name: bool = False

    def read(self, files: Sequence[Path], labels: LabelIds) -> Iterator[RawExample]:
        """One instance a line."""
        for path in files:
            for number, line in lines(path):
                where = f"{path}, line {number}"
                name, text = self._parts(path, line, where)
                label = label_id(labels, name, where)
                if label is not None:
                    yield RawExample(f"{path.name}:{number}", text, label, where=where)

    def _parts(self, path: Path, line: str, where: str) -> tuple[str, str]:
        if self.label_in_name:
            return path.name.removesuffix(".gz").rpartition(".")[2], line
        label, space, text = line.partition(" ")
        if not space:
            raise UserError(f"{where}: expected a label, a space and a sentence; correct the line.")
        return label, text
