"""Parallel text: two files with as many lines, line n of one translates line n of the other."""

import dataclasses
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path

from attn_jax.data.loaders.raw import LabelIds, RawExample
from attn_jax.data.loaders.reading import lines
from attn_jax.errors import UserError


@dataclasses.dataclass(frozen=True)
class Aligned:
    """The first half of the files is the source language, the second half the target, in the same order."""

    def read(self, files: Sequence[Path], labels: LabelIds) -> Iterator[RawExample]:
        """One instance a pair of lines: `text` is the source, `text2` the target, the label is 0."""
        if len(files) % 2:
            raise UserError(
                f"{files[0]}: {len(files)} files where there must be pairs; add the missing side."
            )
        half = len(files) // 2
        for source, target in zip(files[:half], files[half:], strict=True):
            for left, right in itertools.zip_longest(lines(source), lines(target), fillvalue=None):
                if left is None or right is None:
                    short = source if left is None else target
                    raise UserError(f"{short}: it has fewer lines than its counterpart; get both files anew.")
                number, text = left
                where = f"{source}, line {number}"
                yield RawExample(f"{source.name}:{number}", text, 0, right[1], where=where)
