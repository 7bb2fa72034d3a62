"""A Transformer that translates, each attention in it a site (Vaswani et al. 2017; Vashishth et al., 3.4).

`enc/i` is self-attention over the source, `dec/i/self` over what is written so far, `dec/i/cross` from what
is written to the source.
"""

from typing import Any, NamedTuple

import flax.linen as nn
import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int

from attn_jax import rng as streams
from attn_jax.models import attentions
from attn_jax.models.layered import Heads, Layered, Look, Stream, between, natural
from attn_jax.models.writing import Alterations, Writer
from attn_jax.types import AnyArray, Embedded, Example

Memory = tuple[Float[Array, "N T D"], Float[Array, "N T D"]]  # keys and values


class Source(NamedTuple):
    """A text that was read: what each decoder layer attends to in it."""

    memories: tuple[Memory, ...]
    valid: Bool[Array, "T"]


class Progress(NamedTuple):
    """What is written so far: each decoder layer's keys and values, and how many words there are."""

    memories: tuple[Memory, ...]
    place: Int[Array, ""]


class FeedForward(nn.Module):
    """Two maps with a ReLU between them, twice as wide inside."""

    width: int

    @nn.compact
    def __call__(self, x: Float[Array, "S E"]) -> Float[Array, "S E"]:
        """At each token alone."""
        return nn.Dense(self.width, name="out")(nn.relu(nn.Dense(2 * self.width, name="inner")(x)))


class Transformer(Writer, Layered):
    """Logits [S, V] of the words after `target_ids[0]`; the output layer is the table of target words.

    Differs from the paper: layers are normalised first (Xiong et al. 2020), the feed-forward layer is
    twice as wide as the model, not four times, and the attention itself has no dropout.
    """

    embedding: nn.Module
    words: int  # of the target
    width: int
    heads: int
    layers: int
    dropout: float = 0.0
    attention: nn.Module = attentions.Dot()

    @property
    def sites(self) -> tuple[str, ...]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """In the order in which they are passed."""
        decoder = [f"dec/{i}/{kind}" for i in range(self.layers) for kind in ("self", "cross")]
        return (*(f"enc/{i}" for i in range(self.layers)), *decoder)

    def setup(self):
        """One set of maps a site; a feed-forward layer behind each encoder site and each cross site."""
        self.target = nn.Embed(
            self.words, self.width, embedding_init=nn.initializers.normal(self.width**-0.5)
        )
        self.maps = {site: Heads(self.width, self.heads) for site in self.sites}
        self.norms = {site: nn.LayerNorm() for site in self.sites}
        fed = [site for site in self.sites if not site.endswith("self")]
        self.forwards = {site: FeedForward(self.width) for site in fed}
        self.forward_norms = {site: nn.LayerNorm() for site in fed}
        self.last_read, self.last_written = nn.LayerNorm(), nn.LayerNorm()

    def _embed(self, example: Example) -> Embedded:
        before, real = jnp.asarray(example.target_ids)[:-1], jnp.asarray(example.target_valid)[1:]
        return Embedded(
            self.embedding(example.ids, example.valid),
            example.valid,
            example.attendable,
            target=self.target(before),
            target_valid=real,
        )

    def _begin(self, embedded: Embedded, train: bool) -> Stream:
        noise = self.make_rng("dropout") if train and self.dropout else None
        real = jnp.asarray(embedded.target_valid)
        stream = Stream(self._placed(embedded.x), jnp.asarray(embedded.valid), None, real, noise)
        x = stream.noisy("source", stream.x, self.dropout)
        y = stream.noisy("target", self._placed(jnp.asarray(embedded.target)), self.dropout)
        return stream.replace(x=x, y=y)

    def _look(self, site: str, stream: Stream) -> Look:
        maps, valid = self.maps[site], stream.valid
        if site.startswith("enc"):
            seen = self.norms[site](stream.x)
            return Look(maps.queries(seen), *maps.memory(seen), between(valid, valid, self.heads))
        seen, real = self.norms[site](stream.y), jnp.asarray(stream.target_valid)
        if site.endswith("self"):
            mask = between(real, real, self.heads, causal=True)
            return Look(maps.queries(seen), *maps.memory(seen), mask)
        mask = between(real, valid, self.heads)
        return Look(maps.queries(seen), *maps.memory(self.last_read(stream.x)), mask)

    def _move(self, site: str, stream: Stream, look: Look, alpha: Float[Array, "N S T"]) -> Stream:
        name = "x" if site.startswith("enc") else "y"
        x = self._added(site, getattr(stream, name), self.maps[site].mixed(alpha, look.values), stream)
        return stream.replace(**{name: x})

    def _added(self, site: str, x: Array, mixed: Array, stream: Stream | None = None) -> Array:
        """Residual connections around attention and the feed-forward layer behind it."""

        def noisy(place: str, update: Array) -> Array:
            return update if stream is None else stream.noisy(f"{site}/{place}", update, self.dropout)

        x = x + noisy("attention", mixed)
        if site not in self.forwards:
            return x
        return x + noisy("forward", self.forwards[site](self.forward_norms[site](x)))

    def _finish(self, stream: Stream) -> Float[Array, "S V"]:
        return self.target.attend(self.last_written(stream.y))

    def _read(self, example: Example, alterations: Alterations, rng: Any, steps: int) -> tuple[Any, Any]:
        embedded = self.embedding(example.ids, example.valid)
        stream = Stream(self._placed(embedded), jnp.asarray(example.valid))
        stream = self._through(stream, self.sites[: self.layers], alterations, rng)
        seen = self.last_read(stream.x)
        memories = tuple(self.maps[f"dec/{i}/cross"].memory(seen) for i in range(self.layers))
        empty = jnp.zeros((self.heads, steps, self.width // self.heads))
        return Source(memories, stream.valid), Progress(((empty, empty),) * self.layers, jnp.int32(0))

    def _step(
        self, source: Source, carry: Progress, word: AnyArray, alterations: Alterations, rng: Any
    ) -> tuple[Progress, Array]:
        """One word further, with the keys and values of the words before it at hand."""
        y = self._placed(self.target(jnp.asarray(word)[None]), carry.place)
        before = jnp.arange(carry.memories[0][0].shape[1]) <= carry.place
        memories = []
        for i, memory in enumerate(carry.memories):
            site = f"dec/{i}/self"
            new = self.maps[site].memory(self.norms[site](y))
            memories.append(tuple(_put(m, n, carry.place) for m, n in zip(memory, new, strict=True)))
            y = self._written(site, y, memories[-1], before, alterations, rng)
            y = self._written(f"dec/{i}/cross", y, source.memories[i], source.valid, alterations, rng)
        logits = self.target.attend(self.last_written(y))[0]
        return Progress(tuple(memories), carry.place + 1), logits

    def _written(
        self, site: str, y: Array, memory: Any, seen: Array, alterations: Alterations, rng: Any
    ) -> Array:
        """One row past one site."""
        mask, (keys, values) = between(jnp.ones(1, bool), seen, self.heads), memory
        look = Look(self.maps[site].queries(self.norms[site](y)), keys, values, mask)
        alpha = natural(self.attention, look)
        if site in alterations:
            alpha = alterations[site](streams.stream(rng, site), alpha, mask)
        return self._added(site, y, self.maps[site].mixed(alpha, look.values))

    def _placed(self, x: Float[Array, "S E"], first: int | Array = 0) -> Float[Array, "S E"]:
        """Vectors brought to unit variance, and the waves of their places added (section 3.5)."""
        half = self.width // 2
        rates = 10000.0 ** (-jnp.arange(half) / half)
        angles = (first + jnp.arange(len(x)))[:, None] * rates[None]
        return x * self.width**0.5 + jnp.concatenate([jnp.sin(angles), jnp.cos(angles)], -1)


def _put(memory: Float[Array, "N T D"], new: Float[Array, "N 1 D"], place: Int[Array, ""]) -> Array:
    return jax.lax.dynamic_update_slice_in_dim(memory, new, place, axis=1)
