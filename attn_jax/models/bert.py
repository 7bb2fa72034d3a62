"""BERT as a classifier of one text or two, each layer's self-attention a site (Devlin et al. 2019).

Vashishth et al. (2019), 3.4: two texts are joined by the separator, [CLS] goes to a feed-forward head.
"""

import dataclasses

import flax.linen as nn
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Int

from attn_jax.models import attentions
from attn_jax.models.layered import Heads, Layered, Look, Stream, between
from attn_jax.models.layers import Linear
from attn_jax.types import AnyArray, Embedded, Example


@dataclasses.dataclass(frozen=True)
class BertSizes:
    """What a folder of weights states in its config.json."""

    words: int
    width: int
    layers: int
    heads: int
    inner: int
    places: int
    kinds: int = 2  # of segments
    epsilon: float = 1e-12


class Bert(Layered):
    """Logits of [CLS] through a tanh layer and an affine one; alpha is [N, T, T] at each of `enc/i`.

    A token after the first `separator` belongs to the second text.
    """

    sizes: BertSizes
    classes: int
    separator: int
    dropout: float = 0.1
    attention: nn.Module = attentions.Dot()

    @property
    def sites(self) -> tuple[str, ...]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """One a layer."""
        return tuple(f"enc/{i}" for i in range(self.sizes.layers))

    def setup(self):
        """Named so that `bert_weights` finds every part of published weights."""
        s = self.sizes
        small = nn.initializers.normal(0.02)
        tables = {"word": s.words, "place": s.places, "kind": s.kinds}
        self.tables = {name: nn.Embed(n, s.width, embedding_init=small) for name, n in tables.items()}
        self.norm = nn.LayerNorm(s.epsilon)
        self.maps = [Heads(s.width, s.heads) for _ in range(s.layers)]
        self.norms = [nn.LayerNorm(s.epsilon) for _ in range(s.layers)]
        self.inner = [nn.Dense(s.inner) for _ in range(s.layers)]
        self.outer = [nn.Dense(s.width) for _ in range(s.layers)]
        self.outer_norms = [nn.LayerNorm(s.epsilon) for _ in range(s.layers)]
        self.pool = nn.Dense(s.width)
        self.decide = Linear(1 if self.classes == 2 else self.classes)

    @nn.nowrap
    def hidden(self, params: dict, example: Example) -> list[Float[Array, "T E"]]:
        """The states that leave each layer, those of the embedding first."""
        return self._call("_hidden", params, example)

    def _hidden(self, example: Example) -> list[Array]:
        stream = self._begin(self._embed(example), False)
        found = [stream.x]
        for site in self.sites:
            stream = self._through(stream, (site,), {}, None)
            found.append(stream.x)
        return found

    def _embed(self, example: Example) -> Embedded:
        ids = jnp.asarray(example.ids)
        kinds = segments(ids, self.separator)
        places = jnp.minimum(jnp.arange(len(ids)), self.sizes.places - 1)  # beyond it there is only padding
        x = self.tables["word"](ids) + self.tables["place"](places) + self.tables["kind"](kinds)
        return Embedded(x, example.valid, example.attendable)

    def _begin(self, embedded: Embedded, train: bool) -> Stream:
        noise = self.make_rng("dropout") if train and self.dropout else None
        stream = Stream(self.norm(embedded.x), jnp.asarray(embedded.valid), dropout=noise)
        return stream.replace(x=stream.noisy("source", stream.x, self.dropout))

    def _look(self, site: str, stream: Stream) -> Look:
        maps = self.maps[self._layer(site)]
        mask = between(stream.valid, stream.valid, self.sizes.heads)
        return Look(maps.queries(stream.x), *maps.memory(stream.x), mask)

    def _move(self, site: str, stream: Stream, look: Look, alpha: Float[Array, "N T T"]) -> Stream:
        i = self._layer(site)
        mixed = stream.noisy(f"{site}/attention", self.maps[i].mixed(alpha, look.values), self.dropout)
        x = self.norms[i](stream.x + mixed)
        fed = self.outer[i](nn.gelu(self.inner[i](x), approximate=False))
        return stream.replace(x=self.outer_norms[i](x + stream.noisy(f"{site}/forward", fed, self.dropout)))

    def _finish(self, stream: Stream) -> Float[Array, "C"]:
        pooled = jnp.tanh(self.pool(stream.x[0]))
        return self.decide(stream.noisy("pool", pooled, self.dropout))

    def _layer(self, site: str) -> int:
        return int(site.removeprefix("enc/"))


def segments(ids: Int[AnyArray, "T"], separator: int) -> Int[Array, "T"]:
    """0 up to and with the first separator, 1 behind it."""
    ends = jnp.asarray(ids) == separator
    return jnp.minimum(jnp.cumsum(ends) - ends, 1).astype(int)
