"""The tidy form that every loader and simulator returns."""

import dataclasses
from collections.abc import Iterator


@dataclasses.dataclass(frozen=True)
class TextExample:
    """One instance as text. `tokens` is the sequence that attention looks at."""

    id: str
    tokens: tuple[str, ...]
    label: int
    question: tuple[str, ...] | None = None  # the second sequence: question or hypothesis
    rationale: tuple[bool, ...] | None = None  # one flag a token: part of the human or planted evidence
    given: tuple[float, ...] | None = None  # attention from elsewhere, one weight a token
    choices: tuple[int, ...] | None = None  # the label ids that can be the answer (CNN's entities)


@dataclasses.dataclass(frozen=True)
class Corpus:
    """Three splits and the names of the classes, ready for a vocabulary."""

    name: str
    labels: tuple[str, ...]
    train: tuple[TextExample, ...]
    dev: tuple[TextExample, ...]
    test: tuple[TextExample, ...]
    caveat: str = ""  # what differs from the published corpus; stands in every record made from it

    def splits(self) -> Iterator[tuple[str, tuple[TextExample, ...]]]:
        """(name, examples) of each split, in the order train, dev, test."""
        yield from (("train", self.train), ("dev", self.dev), ("test", self.test))

    @property
    def paired(self) -> bool:
        """Whether each instance has a second sequence."""
        # A corpus may be published without a train part.
        return any(split and split[0].question is not None for _, split in self.splits())
