"""CNN reading comprehension (Hermann et al., 2015): one `.question` file an instance.

Five blocks with a blank line between them: address, passage, question, answer, entities. Entities are
anonymous (`@entity7`); the answer is one of them, and only those of the passage can be the answer.
"""

import dataclasses
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from attn_jax.data.loaders.raw import LabelIds, RawExample
from attn_jax.data.loaders.reading import document
from attn_jax.errors import UserError

_ENTITY = re.compile(r"@entity(\d{1,5})(?!\d)")


@dataclasses.dataclass(frozen=True)
class Cnn:
    """An entity's number is its label id."""

    def read(self, files: Sequence[Path], labels: LabelIds) -> Iterator[RawExample]:
        """One instance a file."""
        for path in files:
            blocks = document(path).replace("\r\n", "\n").split("\n\n")
            if len(blocks) < 4:
                raise UserError(
                    f"{path}: expected address, passage, question, answer and entities; replace it."
                )
            _, passage, question, answer = (block.strip() for block in blocks[:4])
            choices = tuple(sorted({int(number) for number in _ENTITY.findall(passage)}))
            named = _ENTITY.fullmatch(answer)
            if not named or int(named[1]) not in choices:
                raise UserError(
                    f"{path}: the answer {answer[:40]!r} is no entity of the passage; replace it."
                )
            name = f"{path.parent.name}/{path.stem}"
            yield RawExample(name, passage, int(named[1]), question, choices=choices, where=str(path))
