"""Subword vocabularies by byte-pair encoding, trained on one language of the train split.

Sennrich et al. (2016), by the `tokenizers` package. Ids of PAD, UNK, SOS and EOS are as in `vocabulary`.
"""

import dataclasses
import functools
from collections.abc import Iterable, Sequence

import tokenizers
from tokenizers import decoders, models, normalizers, pre_tokenizers, trainers

from attn_jax.data.vocabulary import EOS, SOS, SPECIAL


@dataclasses.dataclass(frozen=True)
class Subwords:
    """`text` is the tokeniser as JSON, so equal vocabularies are equal and it lies in a run's folder."""

    text: str

    @classmethod
    def train(cls, sentences: Iterable[str], size: int) -> "Subwords":
        """At most `size` pieces, the special ones included; blanks belong to the piece that follows."""
        tokenizer = tokenizers.Tokenizer(models.BPE(unk_token=SPECIAL[1]))
        tokenizer.normalizer = normalizers.NFC()  # pyright: ignore[reportAttributeAccessIssue]
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(  # pyright: ignore[reportAttributeAccessIssue]
            [pre_tokenizers.Metaspace(), pre_tokenizers.Punctuation("isolated")]
        )
        tokenizer.decoder = decoders.Metaspace()  # pyright: ignore[reportAttributeAccessIssue]
        trainer = trainers.BpeTrainer(
            vocab_size=size, special_tokens=list(SPECIAL), show_progress=False, min_frequency=2
        )
        tokenizer.train_from_iterator(sentences, trainer)
        return cls(tokenizer.to_str())

    @functools.cached_property
    def _tokenizer(self) -> tokenizers.Tokenizer:
        return tokenizers.Tokenizer.from_str(self.text)

    def encode(self, sentence: str) -> list[int]:
        """Ids of SOS, the pieces and EOS."""
        return [SOS, *self._tokenizer.encode(sentence, add_special_tokens=False).ids, EOS]

    def pieces(self, ids: Sequence[int]) -> list[str]:
        """The written form of each id."""
        return [self._tokenizer.id_to_token(int(i)) or "" for i in ids]

    def decode(self, ids: Sequence[int]) -> str:
        """The sentence up to the first EOS; SOS and padding are left out."""
        written = [int(i) for i in ids]
        return self._tokenizer.decode(written[: written.index(EOS)] if EOS in written else written)

    def __len__(self) -> int:
        return self._tokenizer.get_vocab_size()
