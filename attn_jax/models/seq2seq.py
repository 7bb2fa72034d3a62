"""Generation: a recurrent decoder that attends over the source at every word (Vashishth et al. 2019, 3.3).

`decode` is position-wise: each word under any attention, the history as the model itself made it. Letting
an altered attention change what follows is `rollout`, which writes a text of its own.
"""

from typing import Any, ClassVar, NamedTuple

import flax.linen as nn
import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Key

from attn_jax.models import attentions
from attn_jax.models.layers import Linear, dropped, uniform_within
from attn_jax.models.recurrence import Carry, lstm_cell
from attn_jax.models.seam import Pass
from attn_jax.models.writing import Alterations, Writer
from attn_jax.types import AnyArray, Embedded, Encoded, Example, Params

# How lifted transforms divide Flax's streams over words.
_STREAMS: dict[Any, bool] = {"params": False, "attention": True}


class Source(NamedTuple):
    """A text that was read, for writing word by word."""

    states: Float[Array, "T H"]
    mask: Bool[AnyArray, "T"]


class _Walk(NamedTuple):
    """What happens at each word under natural attention."""

    before: Carry  # [S, H] each
    after: Carry
    alpha: Float[Array, "S T"]
    context: Float[Array, "S H"]


class _History(NamedTuple):
    """What `decode` goes on from at each word."""

    before: Carry
    words: Float[Array, "S E"]
    draws: Key[Array, "S"] | None


class DecoderCell(nn.Module):
    """An LSTM cell fed with a word and a context; the words' part is projected for all words at once."""

    features: int

    def setup(self):
        """All parameters U(±1/sqrt(H)), as PyTorch draws them."""
        init = uniform_within(self.features**-0.5)
        self.word = nn.Dense(4 * self.features, kernel_init=init, bias_init=init)
        self.context = nn.Dense(4 * self.features, use_bias=False, kernel_init=init)
        self.recurrent = self.param("recurrent", init, (self.features, 4 * self.features))

    def project(self, words: Float[Array, "*S E"]) -> Float[Array, "*S G"]:
        """The words' part of the gates, G = 4H."""
        return self.word(words)

    def __call__(self, carry: Carry, gates: Float[Array, "G"], context: Float[Array, "H"]) -> Carry:
        """One word further."""
        return lstm_cell(self.recurrent, carry, gates + self.context(context), jnp.bool_(True))[0]


class Seq2Seq(Writer):
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
    dropout: float = 0.0  # of words and of the encoder's states, in training

    sites: ClassVar[tuple[str, ...]] = ("source",)

    def setup(self):
        """The decoder starts from the encoder's summary and has one layer."""
        self.start = Linear(self.hidden)
        self.cell = DecoderCell(self.hidden)
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
    def traverse(self, params: Params, example: Example, *, train: bool = False, rngs: Any = None) -> Pass:
        """The composition in one walk: `encode` has been at every word that `decode` would visit again."""
        return self._call("_traverse", params, example, train=train, rngs=rngs)

    def _traverse(self, example: Example, *, train: bool) -> Pass:
        embedded = self._embed(example)
        encoded, walk = self._walk(embedded, train)
        logits = self._say(walk.after[1], encoded.carry.words, walk.context)
        return Pass(embedded, encoded, walk.alpha, logits)

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
        return self._walk(embedded, train)[0]

    def _walk(self, embedded: Embedded, train: bool) -> tuple[Encoded, _Walk]:
        """Through the source, then word by word through the target."""
        rngs = jax.random.split(self.make_rng("dropout"), 3) if train and self.dropout else (None,) * 3
        states, start = self._begin(dropped(rngs[0], embedded.x, self.dropout), embedded.valid)
        states = dropped(rngs[1], states, self.dropout)
        words = dropped(rngs[2], jnp.asarray(embedded.target), self.dropout)
        mask = jnp.asarray(embedded.target_valid)[:, None] & embedded.attendable[None]
        draws = self._draws(mask.shape[0])

        def forth(model: Seq2Seq, carry: Carry, now: tuple) -> tuple[Carry, _Walk]:
            gates, row, rng = now
            alpha = attentions.drawn(model.attention, Encoded(states, row, carry[1]), rng)
            context = alpha @ states
            after = model.cell(carry, gates, context)
            return after, _Walk(carry, after, alpha, context)

        scan = nn.scan(forth, variable_broadcast="params", split_rngs=_STREAMS)
        _, walk = scan(self, start, (self.cell.project(words), mask, draws))
        return Encoded(states, mask, walk.before[1], _History(walk.before, words, draws)), walk

    def _attend(self, encoded: Encoded) -> Float[Array, "S T"]:
        def look(model: Seq2Seq, row: Any, query: Any, rng: Any) -> Array:
            return attentions.drawn(model.attention, Encoded(encoded.states, row, query), rng)

        every = nn.vmap(look, variable_axes={"params": None}, split_rngs=_STREAMS)
        return every(self, encoded.mask, encoded.query, encoded.carry.draws)

    def _decode(self, encoded: Encoded, alpha: Float[Array, "S T"]) -> Float[Array, "S V"]:
        before, words, _ = encoded.carry
        context = alpha @ encoded.states
        every = nn.vmap(lambda cell, *now: cell(*now), variable_axes={"params": None}, split_rngs=_STREAMS)
        _, hidden = every(self.cell, before, self.cell.project(words), context)
        return self._say(hidden, words, context)

    def _read(self, example: Example, alterations: Alterations, rng: Any, steps: int) -> tuple[Source, Carry]:
        states, start = self._begin(self.embedding(example.ids, example.valid), example.valid)
        return Source(states, example.attendable), start

    def _step(
        self, source: Source, carry: Carry, word: AnyArray, alterations: Alterations, rng: Any
    ) -> tuple[Carry, Array]:
        vector = self.target_embedding(jnp.asarray(word)[None], jnp.ones(1, bool))[0]
        alpha = self.attention(Encoded(source.states, source.mask, carry[1]))
        for alter in alterations.values():
            alpha = alter(rng, alpha, jnp.asarray(source.mask))
        context = alpha @ source.states
        carry = self.cell(carry, self.cell.project(vector), context)
        return carry, self._say(carry[1], vector, context)

    def _begin(self, x: Float[Array, "T E"], valid: Bool[AnyArray, "T"]) -> tuple[Array, Carry]:
        states, summary = self.encoder(x, valid)
        return states, (jnp.zeros(self.hidden), jnp.tanh(self.start(summary)))

    def _say(
        self, hidden: Float[Array, "*S H"], word: Float[Array, "*S E"], context: Float[Array, "*S H"]
    ) -> Float[Array, "*S V"]:
        return self.output(jnp.tanh(self.blend(jnp.concatenate([hidden, word, context], -1))))

    def _draws(self, rows: int) -> Key[Array, "S"] | None:
        """A stream for each word, so that history and attention see the same random weights."""
        if not self.has_rng("attention"):
            return None
        return jax.vmap(jax.random.fold_in, (None, 0))(self.make_rng("attention"), jnp.arange(rows))


class BlankStart(Seq2Seq):
    """Starts to write from nothing: all that it knows of the source reaches it through attention."""

    def _begin(self, x: Float[Array, "T E"], valid: Bool[AnyArray, "T"]) -> tuple[Array, Carry]:
        return self.encoder(x, valid)[0], (jnp.zeros(self.hidden), jnp.zeros(self.hidden))
