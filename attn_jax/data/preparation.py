"""From published parts to prepared splits, streamed: survey, divide, tokenise, filter."""

import dataclasses
from collections.abc import Iterator

import numpy as np
from tqdm import tqdm

from attn_jax.data.division import SPLITS, Division, divide
from attn_jax.data.examples import TextExample
from attn_jax.data.loaders.raw import RawExample
from attn_jax.data.loaders.reader import Reader
from attn_jax.data.specs.spec import DatasetSpec, Part
from attn_jax.data.text import tidy

# Instances of each class by published part, before anything is drawn or dropped.
Counts = dict[str, dict[str, int]]


@dataclasses.dataclass(frozen=True)
class Preparation:
    """A corpus whose split of every instance is decided; `examples` streams one split."""

    spec: DatasetSpec
    reader: Reader
    division: Division
    counts: Counts

    @classmethod
    def survey(cls, spec: DatasetSpec, reader: Reader) -> "Preparation":
        """Reads everything once for the labels alone: only they are held in memory."""
        labels = {
            part: np.fromiter((raw.label for raw in reader.read(part)), np.int32) for part in reader.parts
        }
        counts = {part: _counted(known) for part, known in labels.items()}
        return cls(spec, reader, divide(labels, spec.splits), counts)

    def size(self, split: Part) -> int:
        """How many published instances go to the split, before any filter."""
        return sum(int((codes == SPLITS.index(split)).sum()) for codes in self.division.values())

    def examples(self, split: Part) -> Iterator[TextExample]:
        """The instances of one split, as the spec prepares them."""
        kept = (example for example in self._tidy(split) if self.spec.keeps(len(example.tokens)))
        if not self.spec.drop_leaks:
            return kept
        later = SPLITS[SPLITS.index(split) + 1 :]
        held_out = {_text(example) for other in later for example in self._tidy(other)}
        return (example for example in kept if _text(example) not in held_out)

    def _tidy(self, split: Part) -> Iterator[TextExample]:
        rules = self.reader.rules or self.spec.rules
        name, total = f"{self.spec.name}/{split}", self.size(split)
        raws = tqdm(self._raw(split), name, total, leave=False, delay=1, disable=None)
        return (example for raw in raws if (example := tidy(raw, rules)) is not None)

    def _raw(self, split: Part) -> Iterator[RawExample]:
        code = SPLITS.index(split)
        for part, codes in self.division.items():
            if (codes == code).any():
                numbered = enumerate(self.reader.read(part))
                yield from (raw for number, raw in numbered if codes[number] == code)


def _counted(labels: np.ndarray) -> dict[str, int]:
    values, counts = np.unique(labels, return_counts=True)
    return {str(value): int(count) for value, count in zip(values, counts, strict=True)}


def _text(example: TextExample) -> int:
    """A fingerprint of both sequences by letters and digits: copies differ in blanks and full stops."""
    joined = "".join((*example.tokens, "|", *(example.question or ())))
    return hash("".join(filter(str.isalnum, joined)))
