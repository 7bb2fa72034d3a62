"""Writing a text word by word: greedily, under altered attention, and by beam search.

Every function is of one example; callers `vmap`. What stands behind the first EOS means nothing.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import flax.linen as nn
import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int, Key

from attn_jax import rng as streams
from attn_jax.models.seam import Alteration, AttentiveModel
from attn_jax.types import AnyArray, Example, Params

Alterations = Mapping[str, Alteration]


class Writer(AttentiveModel):
    """A model that writes. A family fills in `_read` and `_step`.

    `_read(example, alterations, rng, steps)` gives the source that was read and the carry before the first
    word, with room for `steps` words; `_step(source, carry, word, alterations, rng)` goes one word further.
    """

    @nn.nowrap
    def read(
        self, params: Params, example: Example, alterations: Alterations, rng: Key[Array, ""], *, steps: int
    ) -> tuple[Any, Any]:
        """The source alone and the carry at its end, for writing without a target."""
        return self._call("_read", params, example, alterations, rng, steps, rngs=_draws(rng))

    @nn.nowrap
    def step(
        self,
        params: Params,
        source: Any,
        carry: Any,
        word: Int[AnyArray, ""],
        alterations: Alterations,
        rng: Key[Array, ""],
    ) -> tuple[Any, Float[Array, "V"]]:
        """From the state before it and the word before it to the next word's logits."""
        return self._call("_step", params, source, carry, word, alterations, rng, rngs=_draws(rng))

    @nn.nowrap
    def rollout(
        self, params: Params, example: Example, alterations: Alterations, rng: Key[Array, ""], *, steps: int
    ) -> Int[Array, "S"]:
        """Greedy text with the attention of each named site altered, in what is read and in what follows.

        `steps` words from `target_ids[0]` (SOS) on.
        """
        self.check_sites(*alterations)
        start, *rngs = jax.random.split(rng, steps + 1)
        source, carry = self.read(params, example, alterations, start, steps=steps)

        def write(before: tuple[Any, Array], rng: Key[Array, ""]) -> tuple[tuple[Any, Array], Array]:
            carry, logits = self.step(params, source, *before, alterations, rng)
            word = jnp.argmax(logits)
            return (carry, word), word

        return jax.lax.scan(write, (carry, _first(example)), jnp.stack(rngs))[1]

    @nn.nowrap
    def greedy(self, params: Params, example: Example, rng: Key[Array, ""], *, steps: int) -> Int[Array, "S"]:
        """The likeliest word at each step under the model's own attention, random if that is what it has."""
        return self.rollout(params, example, {}, rng, steps=steps)

    @nn.nowrap
    def beam(
        self,
        params: Params,
        example: Example,
        alterations: Alterations,
        rng: Key[Array, ""],
        *,
        steps: int,
        width: int,
        end: int,
    ) -> Int[Array, "S"]:
        """The likeliest of `width` texts kept at each step, by mean log-probability a word.

        `end` is the id of EOS. Of width 1 it is `rollout` up to the first EOS.
        """
        self.check_sites(*alterations)
        start, *rngs = jax.random.split(rng, steps + 1)
        source, carry = self.read(params, example, alterations, start, steps=steps)
        beams = Beams(
            jax.tree.map(lambda a: jnp.broadcast_to(a, (width, *a.shape)), carry),
            jnp.full(width, _first(example)),
            jnp.where(jnp.arange(width) == 0, 0.0, -jnp.inf),  # all begin alike: one of them is enough
            jnp.zeros(width, bool),
            jnp.zeros(width),
            jnp.zeros((width, steps), int),
        )

        def grow(beams: "Beams", now: tuple[Array, Array]) -> tuple["Beams", None]:
            place, rng = now
            step = jax.vmap(lambda carry, word: self.step(params, source, carry, word, alterations, rng))
            carry, logits = step(beams.carry, beams.word)
            return _grown(beams, carry, jax.nn.log_softmax(logits), place, end), None

        last, _ = jax.lax.scan(grow, beams, (jnp.arange(steps), jnp.stack(rngs)))
        return last.words[jnp.argmax(last.score / jnp.maximum(last.length, 1))]


class Beams(NamedTuple):
    """The texts kept so far; `done` are those that have written EOS."""

    carry: Any
    word: Int[Array, "K"]
    score: Float[Array, "K"]
    done: Bool[Array, "K"]
    length: Float[Array, "K"]
    words: Int[Array, "K S"]


def _grown(beams: Beams, carry: Any, logp: Float[Array, "K V"], place: Int[Array, ""], end: int) -> Beams:
    """The best continuations; a finished text is continued by EOS alone, at no cost."""
    stays = jnp.where(jnp.arange(logp.shape[1]) == end, 0.0, -jnp.inf)
    scores = beams.score[:, None] + jnp.where(beams.done[:, None], stays, logp)
    score, chosen = jax.lax.top_k(scores.ravel(), len(beams.word))
    parent, word = chosen // logp.shape[1], (chosen % logp.shape[1]).astype(beams.word.dtype)
    done = beams.done[parent]
    return Beams(
        jax.tree.map(lambda a: a[parent], carry),
        word,
        score,
        done | (word == end),
        beams.length[parent] + ~done,
        beams.words[parent].at[:, place].set(word),
    )


def _first(example: Example) -> Int[Array, ""]:
    return jnp.asarray(example.target_ids)[0].astype(int)  # as `argmax` gives it


def _draws(rng: Key[Array, ""]) -> dict[str, Array]:
    return {"attention": streams.stream(rng, "attention")}
