"""Models of translation by name, small enough for a CPU."""

import dataclasses
from collections.abc import Callable

import flax.linen as nn

from attn_jax.models import attentions, encoders
from attn_jax.models.layers import SubwordEmbedding
from attn_jax.models.seq2seq import BlankStart, Seq2Seq
from attn_jax.models.transformer import Transformer


@dataclasses.dataclass(frozen=True)
class Sizes:
    """Of a model that writes; Vashishth et al. (2019) do not say theirs."""

    width: int = 256  # of words and of the decoder
    layers: int = 2  # of the encoder; of a Transformer's decoder too
    dropout: float = 0.2
    heads: int = 4  # of a Transformer

    def __str__(self) -> str:
        return f"{self.width} wide, {self.layers} layers, dropout {self.dropout:g}"


def recurrent(name: str, *, source: int, target: int, sizes: Sizes) -> Seq2Seq:
    """A BiLSTM that reads `source` kinds of pieces and an LSTM that writes `target` kinds."""
    family, attention = RECURRENT[name]
    return family(
        SubwordEmbedding(source, sizes.width),
        SubwordEmbedding(target, sizes.width),
        encoders.BiLSTM(sizes.width // 2, sizes.layers),
        attention(),
        sizes.width,
        target,
        sizes.dropout,
    )


def transformer(*, source: int, target: int, sizes: Sizes) -> Transformer:
    """A Transformer that reads `source` kinds of pieces and writes `target` kinds."""
    return Transformer(
        SubwordEmbedding(source, sizes.width), target, sizes.width, sizes.heads, sizes.layers, sizes.dropout
    )


RECURRENT: dict[str, tuple[type[Seq2Seq], Callable[[], nn.Module]]] = {
    "bahdanau": (Seq2Seq, attentions.Additive),
    "luong": (Seq2Seq, attentions.Unscaled),
    # What is trained with in the place of either (Vashishth et al. 2019, 4.1): the two are then one model.
    "uniform": (Seq2Seq, attentions.Uniform),
    "random": (Seq2Seq, attentions.Random),
    # Not the paper's: tests what the summary that the others start from is worth without attention.
    "bahdanau_blank": (BlankStart, attentions.Additive),
}
PROBES = ("bahdanau_blank",)
