"""Generation: a recurrent decoder that attends over the source at every word (Vashishth et al. 2019, 3.3).

`decode` is position-wise: each word under any attention, the history as the model itself made it. Letting
an altered attention change what follows is `rollout`, which writes a text of its own.
"""

import functools
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import flax.linen as nn
import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int, Key

from attn_jax import rng as streams
from attn_jax.models import attentions
from attn_jax.models.layers import LSTM, Carry, Linear
from attn_jax.models.seam import Alteration, AttentiveModel
from attn_jax.types import AnyArray, Embedded, Encoded, Example, Params

# How lifted transforms divide Flax's streams over words.
_STREAMS: dict[Any, bool] = {"params": False, "attention": True}


class Source(NamedTuple):
    """A text that was read, for writing word by word."""

    states: Float[Array, "T H"]
    mask: Bool[AnyArray, "T"]
    start: Carry


class Seq2Seq(AttentiveModel):
    """c_t = f(c_{t-1}, y_{t-1}, sum_i alpha_ti h_i), the attention's query being c_{t-1}.

    With `Additive` in the attention field this is Bahdanau et al. (2015), with `Unscaled` it has the
    score of Luong et al. (2015), for which `hidden` must be the width of the encoder's states. alpha is
    [S, T] and the logits are [S, V], of the words after `target_ids[0]`.

    Differs from the papers: the output layer is tanh, not maxout (Bahdanau); the query is the previous
    state and the context goes into the cell (Luong), as Vashishth's one equation for both has it.
    """

    embedding: nn.Module
    target_embedding: nn.Module
    encoder: nn.Module
    attention: nn.Module
    hidden: int
    words: int

    sites: ClassVar[tuple[str, ...]] = ("source",)

    def setup(self):
        """The decoder starts from the encoder's summary and has one layer."""
        self.start = Linear(self.hidden)
        self.cell = LSTM(self.hidden)
        self.blend = Linear(self.hidden)
        self.output = Linear(self.words)

    @property
    def skips_gaps(self) -> bool:
        """As the encoder does."""
        return getattr(self.encoder, "skips_gaps", False)

    @nn.nowrap
    def token_logits(self, params: Params, encoded: Encoded) -> Float[Array, "S T V"]:
        """Each word with all attention on one source token: positions are independent in `decode`."""
        rows, length = encoded.mask.shape
        alphas = jnp.broadcast_to(jnp.eye(length)[:, None], (length, rows, length))
        return jax.vmap(self.decode, (None, None, 0), out_axes=1)(params, encoded, alphas)

    @nn.nowrap
    def read(self, params: Params, example: Example) -> Source:
        """The source alone, for writing without a target."""
        return self._call("_read", params, example)

    @nn.nowrap
    def step(
        self,
        params: Params,
        source: Source,
        carry: Carry,
        word: Int[AnyArray, ""],
        alter: Callable[[Array, Array], Array] = lambda alpha, mask: alpha,
        *,
        rngs: Any = None,
    ) -> tuple[Carry, Float[Array, "V"]]:
        """One word further: from the state before it and the word before it to the next word's logits."""
        return self._call("_step", params, source, carry, word, alter, rngs=rngs)

    @nn.nowrap
    def rollout(
        self, params: Params, example: Example, alter: Alteration, rng: Key[Array, ""], *, steps: int
    ) -> Int[Array, "S"]:
        """Greedy text under altered attention, which changes the words and states that follow.

        `steps` words from `target_ids[0]` (SOS) on; what stands behind the first EOS means nothing.
        """
        source = self.read(params, example)

        def write(before: tuple[Carry, Array], rng: Key[Array, ""]) -> tuple[tuple[Carry, Array], Array]:
            own = {"attention": streams.stream(rng, "attention")}
            changed = functools.partial(alter, rng)
            carry, logits = self.step(params, source, *before, changed, rngs=own)
            word = jnp.argmax(logits)
            return (carry, word), word

        first = jnp.asarray(example.target_ids)[0].astype(int)  # as `argmax` gives it
        return jax.lax.scan(write, (source.start, first), jax.random.split(rng, steps))[1]

    @nn.nowrap
    def greedy(self, params: Params, example: Example, rng: Key[Array, ""], *, steps: int) -> Int[Array, "S"]:
        """The likeliest word at each step under the model's own attention, random if that is what it has."""
        return self.rollout(params, example, lambda rng, alpha, mask: alpha, rng, steps=steps)

    def _embed(self, example: Example) -> Embedded:
        before, real = jnp.asarray(example.target_ids)[:-1], jnp.asarray(example.target_valid)[1:]
        return Embedded(
            self.embedding(example.ids, example.valid),
            example.valid,
            example.attendable,
            target=self.target_embedding(before, real),
            target_valid=real,
        )

    def _encode(self, embedded: Embedded, *, site: str, train: bool) -> Encoded:
        states, start = self._begin(embedded.x, embedded.valid)
        mask = jnp.asarray(embedded.target_valid)[:, None] & embedded.attendable[None]
        draws = self._draws(mask.shape[0])

        def forth(model: Seq2Seq, carry: Carry, now: tuple) -> tuple[Carry, Carry]:
            word, row, rng = now
            alpha = attentions.drawn(model.attention, Encoded(states, row, carry[1]), rng)
            return model._advance(carry, word, alpha @ states), carry

        scan = nn.scan(forth, variable_broadcast="params", split_rngs=_STREAMS)
        _, before = scan(self, start, (embedded.target, mask, draws))
        return Encoded(states, mask, before[1], (before, embedded.target, draws))

    def _attend(self, encoded: Encoded) -> Float[Array, "S T"]:
        def look(model: Seq2Seq, row: Any, query: Any, rng: Any) -> Array:
            return attentions.drawn(model.attention, Encoded(encoded.states, row, query), rng)

        every = nn.vmap(look, variable_axes={"params": None}, split_rngs=_STREAMS)
        return every(self, encoded.mask, encoded.query, encoded.carry[-1])

    def _decode(self, encoded: Encoded, alpha: Float[Array, "S T"]) -> Float[Array, "S V"]:
        before, words, _ = encoded.carry

        def write(model: Seq2Seq, carry: Carry, word: Array, context: Array) -> Array:
            return model._say(model._advance(carry, word, context), word, context)

        every = nn.vmap(write, variable_axes={"params": None}, split_rngs=_STREAMS)
        return every(self, before, words, alpha @ encoded.states)

    def _read(self, example: Example) -> Source:
        states, start = self._begin(self.embedding(example.ids, example.valid), example.valid)
        return Source(states, example.attendable, start)

    def _step(self, source: Source, carry: Carry, word: AnyArray, alter: Callable) -> tuple[Carry, Array]:
        vector = self.target_embedding(jnp.asarray(word)[None], jnp.ones(1, bool))[0]
        alpha = alter(self.attention(Encoded(source.states, source.mask, carry[1])), jnp.asarray(source.mask))
        context = alpha @ source.states
        carry = self._advance(carry, vector, context)
        return carry, self._say(carry, vector, context)

    def _begin(self, x: Float[Array, "T E"], valid: Bool[AnyArray, "T"]) -> tuple[Array, Carry]:
        states, summary = self.encoder(x, valid)
        return states, (jnp.zeros(self.hidden), jnp.tanh(self.start(summary)))

    def _advance(self, carry: Carry, word: Float[Array, "E"], context: Float[Array, "H"]) -> Carry:
        return self.cell.resume(jnp.concatenate([word, context])[None], jnp.ones(1, bool), carry)[1]

    def _say(self, carry: Carry, word: Float[Array, "E"], context: Float[Array, "H"]) -> Float[Array, "V"]:
        return self.output(jnp.tanh(self.blend(jnp.concatenate([carry[1], word, context]))))

    def _draws(self, rows: int) -> Key[Array, "S"] | None:
        """A stream for each word, so that history and attention see the same random weights."""
        if not self.has_rng("attention"):
            return None
        return jax.vmap(jax.random.fold_in, (None, 0))(self.make_rng("attention"), jnp.arange(rows))
