"""Penn-Treebank-style trees, one a line: `(3 (2 It) (4 (2 works) (2 .)))`. The root's label counts."""

import dataclasses
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from attn_jax.data.loaders.raw import LabelIds, RawExample, label_id
from attn_jax.data.loaders.reading import lines
from attn_jax.errors import UserError

_PIECE = re.compile(r"\(|\)|[^()\s]+")
_ESCAPES = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "``": '"', "''": '"'}


def leaves(tree: str, where: str) -> tuple[str, list[str]]:
    """The root's label and the words, read with a depth counter: no recursion, any depth."""
    depth, after_open, root, words = 0, False, "", []
    pieces = _PIECE.findall(tree)
    for position, piece in enumerate(pieces):
        if piece == "(":
            depth, after_open = depth + 1, True
        elif piece == ")":
            depth, after_open = depth - 1, False
        elif after_open:
            root, after_open = root or piece, False
        else:
            words.append(_ESCAPES.get(piece, piece))
        # The root closes with the line's last piece and not before.
        if (depth <= 0) != (position == len(pieces) - 1):
            break
    else:
        if depth == 0 and root and words:
            return root, words
    raise UserError(f"{where}: not a tree of the form (label (label word) ...); restore the line.")


@dataclasses.dataclass(frozen=True)
class Trees:
    """SST as published by Socher et al. (2013)."""

    def read(self, files: Sequence[Path], labels: LabelIds) -> Iterator[RawExample]:
        """One instance a line; blank lines are skipped."""
        for path in files:
            for number, line in lines(path):
                if not line.strip():
                    continue
                where = f"{path}, line {number}"
                root, words = leaves(line, where)
                label = label_id(labels, root, where)
                if label is not None:
                    yield RawExample(f"{path.name}:{number}", " ".join(words), label, where=where)
