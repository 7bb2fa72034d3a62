"""From published parts to prepared splits, streamed: survey, divide, tokenise, filter."""

import dataclasses
from collections import Counter
from collections.abc import Iterator

from tqdm import tqdm

from attn_jax.data.division import Division, divide
from attn_jax.data.examples import TextExample
from attn_jax.data.loaders.raw import RawExample
from attn_jax.data.loaders.reader import Reader
from attn_jax.data.specs.spec import DatasetSpec, Part
from attn_jax.data.text import tidy

SPLITS: tuple[Part, ...] = ("train", "dev", "test")

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
        labels = {part: [raw.label for raw in reader.read(part)] for part in reader.parts}
        counts = {part: {str(k): n for k, n in Counter(known).items()} for part, known in labels.items()}
        return cls(spec, reader, divide(labels, spec.splits), counts)

    def examples(self, split: Part) -> Iterator[TextExample]:
        """The instances of one split, as the spec prepares them."""
        kept = (example for example in self._tidy(split) if self.spec.keeps(len(example.tokens)))
        if self.spec.drop_leaks:
            later = SPLITS[SPLITS.index(split) + 1 :]
            held_out = {_text(example) for other in later for example in self._tidy(other)}
            return (example for example in kept if _text(example) not in held_out)
        return kept

    def _tidy(self, split: Part) -> Iterator[TextExample]:
        rules = self.reader.rules or self.spec.rules
        total = sum(chosen == split for chosen in self.division.values())
        raws = tqdm(self._raw(split), f"{self.spec.name}/{split}", total, leave=False, delay=1, disable=None)
        return (example for raw in raws if (example := tidy(raw, rules)) is not None)

    def _raw(self, split: Part) -> Iterator[RawExample]:
        for part in self.reader.parts:
            if any(origin == part for (origin, _), chosen in self.division.items() if chosen == split):
                for number, raw in enumerate(self.reader.read(part)):
                    if self.division.get((part, number)) == split:
                        yield raw


def _text(example: TextExample) -> int:
    """A fingerprint of both sequences by letters and digits: copies differ in blanks and full stops."""
    joined = "".join((*example.tokens, "|", *(example.question or ())))
    return hash("".join(filter(str.isalnum, joined)))
