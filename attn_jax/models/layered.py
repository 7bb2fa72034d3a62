"""Self-attention on the seam: a model as a row of sites, each of which can be looked at and altered.

At one site alpha is [N, S, T]: heads, queries, keys. `encode` runs every site before it under natural
attention, `decode` every site after it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import flax.linen as nn
import flax.struct
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Key

from attn_jax import rng as streams
from attn_jax.models.layers import dropped
from attn_jax.models.seam import Alteration, AttentiveModel
from attn_jax.types import Embedded, Encoded, Example, Params


class Look(NamedTuple):
    """What one site attends with and to."""

    queries: Float[Array, "N S D"]
    keys: Float[Array, "N T D"]
    values: Float[Array, "N T D"]
    mask: Bool[Array, "N S T"]


class Stream(flax.struct.PyTreeNode):
    """What flows from site to site: states of the text that is read and, if one is written, of that.

    `observe` hands out a batch of them, with an axis B before the others.
    """

    x: Float[Array, "*B T E"]
    valid: Bool[Array, "*B T"]
    y: Float[Array, "*B S E"] | None = None
    target_valid: Bool[Array, "*B S"] | None = None
    dropout: Key[Array, "*B"] | None = None  # only in training

    def noisy(self, site: str, x: Float[Array, "*T E"], share: float) -> Float[Array, "*T E"]:
        """Dropout at a place of this name."""
        return dropped(None if self.dropout is None else streams.stream(self.dropout, site), x, share)


class Held(flax.struct.PyTreeNode):
    """Where an `Encoded` stands."""

    stream: Stream
    look: Look
    site: str = flax.struct.field(pytree_node=False)


class Heads(nn.Module):
    """The linear maps of multi-head attention (Vaswani et al. 2017, 3.2.2)."""

    width: int
    count: int

    def setup(self):
        """One map each for all heads together."""
        self.query, self.key, self.value, self.output = (nn.Dense(self.width) for _ in range(4))

    def queries(self, x: Float[Array, "S E"]) -> Float[Array, "N S D"]:
        """Each head's questions."""
        return self._split(self.query(x))

    def memory(self, x: Float[Array, "T E"]) -> tuple[Float[Array, "N T D"], Float[Array, "N T D"]]:
        """Each head's keys and values."""
        return self._split(self.key(x)), self._split(self.value(x))

    def mixed(self, alpha: Float[Array, "N S T"], values: Float[Array, "N T D"]) -> Float[Array, "S E"]:
        """Values weighted by attention, heads put side by side, and mapped."""
        found = jnp.einsum("nst,ntd->snd", alpha, values)
        return self.output(found.reshape(len(found), self.width))

    def _split(self, x: Float[Array, "S E"]) -> Float[Array, "N S D"]:
        return x.reshape(len(x), self.count, -1).swapaxes(0, 1)


def natural(attention: nn.Module, look: Look) -> Float[Array, "N S T"]:
    """A bound attention module at every head and query; random draws apart."""

    def row(module: nn.Module, keys: Any, query: Any, mask: Any) -> Array:
        return module(Encoded(keys, mask, query))

    lifted: dict[str, Any] = {
        "variable_axes": {"params": None},
        "split_rngs": {"params": False, "attention": True},
    }
    queries = nn.vmap(row, in_axes=(None, 0, 0), **lifted)  # pyright: ignore[reportArgumentType]
    return nn.vmap(queries, **lifted)(attention, look.keys, look.queries, look.mask)


class Layered(AttentiveModel):
    """A family fills in `_begin`, `_look`, `_move` and `_finish`, and names its `sites` in order.

    `_look(site, stream)` says what is attended to; `_move(site, stream, look, alpha)` goes on to the next.
    It has a field `attention`, one module at all sites.
    """

    @nn.nowrap
    def attentions(self, params: Params, example: Example) -> dict[str, Float[Array, "N S T"]]:
        """The natural attention of every site in one pass."""
        return self._call("_attentions", params, example)

    @nn.nowrap
    def decode_altered(
        self, params: Params, encoded: Encoded, alterations: Mapping[str, Alteration], rng: Key[Array, ""]
    ) -> Float[Array, "*S C"]:
        """Logits with any of the sites altered; each has its own stream, later ones see what earlier did."""
        self.check_sites(*alterations)
        return self._call("_altered", params, encoded, alterations, rng, rngs={"attention": rng})

    def _altered(self, encoded: Encoded, alterations: Mapping[str, Alteration], rng: Any) -> Array:
        held = encoded.carry
        return self._finish(self._through(held.stream, self._from(held.site), alterations, rng))

    def _attentions(self, example: Example) -> dict[str, Array]:
        found: dict[str, Array] = {}
        stream = self._begin(self._embed(example), False)
        for site in self.sites:
            look = self._look(site, stream)
            found[site] = natural(self.attention, look)
            stream = self._move(site, stream, look, found[site])
        return found

    def _encode(self, embedded: Embedded, *, site: str, train: bool) -> Encoded:
        before = self.sites[: self.sites.index(site)]
        stream = self._through(self._begin(embedded, train), before, {}, None)
        look = self._look(site, stream)
        memory = look.keys.swapaxes(0, 1).reshape(look.keys.shape[1], -1)
        return Encoded(memory, look.mask, None, Held(stream, look, site))

    def _attend(self, encoded: Encoded) -> Float[Array, "N S T"]:
        return natural(self.attention, encoded.carry.look)

    def _decode(self, encoded: Encoded, alpha: Float[Array, "N S T"]) -> Float[Array, "*S C"]:
        held = encoded.carry
        stream = self._move(held.site, held.stream, held.look, alpha)
        return self._finish(self._through(stream, self._from(held.site)[1:], {}, None))

    def _through(
        self, stream: Stream, sites: Sequence[str], alterations: Mapping[str, Alteration], rng: Any
    ) -> Stream:
        """Past these sites, each under its own attention or an altered one."""
        for site in sites:
            look = self._look(site, stream)
            alpha = natural(self.attention, look)
            if site in alterations:
                alpha = alterations[site](streams.stream(rng, site), alpha, look.mask)
            stream = self._move(site, stream, look, alpha)
        return stream

    def _from(self, site: str) -> tuple[str, ...]:
        return self.sites[self.sites.index(site) :]


def between(
    queries: Bool[Array, "S"], keys: Bool[Array, "T"], heads: int, *, causal: bool = False
) -> Bool[Array, "N S T"]:
    """Which pairs of real tokens may meet; causal: no key behind its query."""
    mask = queries[:, None] & keys[None]
    if causal:
        mask = mask & jnp.tril(jnp.ones(mask.shape, bool))
    return jnp.broadcast_to(mask, (heads, *mask.shape))
