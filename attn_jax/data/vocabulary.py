"""Words to ids and back. PAD 0, UNK 1, SOS 2, EOS 3, as in Jain & Wallace's released code."""

import collections
import dataclasses
import functools
from collections.abc import Iterable, Mapping, Sequence

PAD, UNK, SOS, EOS = range(4)
SPECIAL = ("<PAD>", "<UNK>", "<SOS>", "<EOS>")


@dataclasses.dataclass(frozen=True)
class Vocabulary:
    """The words of the train split, most frequent first; ties in alphabetical order."""

    words: tuple[str, ...]

    @classmethod
    def build(cls, sequences: Iterable[Sequence[str]], min_count: int = 1) -> "Vocabulary":
        """All words seen at least `min_count` times, behind the four special ones."""
        counts = collections.Counter(word for sequence in sequences for word in sequence)
        kept = sorted((w for w, n in counts.items() if n >= min_count), key=lambda w: (-counts[w], w))
        return cls(SPECIAL + tuple(w for w in kept if w not in SPECIAL))

    @functools.cached_property
    def index(self) -> Mapping[str, int]:
        """Word to id."""
        return {word: i for i, word in enumerate(self.words)}

    def encode(self, tokens: Sequence[str]) -> list[int]:
        """Ids of SOS, the tokens (UNK where unseen) and EOS."""
        return [SOS, *(self.index.get(token, UNK) for token in tokens), EOS]

    def __len__(self) -> int:
        return len(self.words)
