"""One document a file, the label in the name of its folder: 20 Newsgroups, IMDB's original archive."""

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path

from attn_jax.data.loaders import newsgroup
from attn_jax.data.loaders.raw import LabelIds, RawExample, label_id
from attn_jax.data.loaders.reading import document


@dataclasses.dataclass(frozen=True)
class Documents:
    """`body_only` leaves a news post without its header, its signature and what it quotes."""

    encoding: str = "utf-8"
    body_only: bool = False

    def read(self, files: Sequence[Path], labels: LabelIds) -> Iterator[RawExample]:
        """One instance a file."""
        for path in files:
            label = label_id(labels, path.parent.name, str(path))
            if label is None:
                continue
            text = document(path, self.encoding)
            body = newsgroup.body(text) if self.body_only else text
            yield RawExample(f"{path.parent.name}/{path.name}", body, label, where=str(path))
