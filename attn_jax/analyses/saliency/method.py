"""What every saliency method is, and many of them on one batch."""

from collections.abc import Callable, Mapping

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Key

from attn_jax import rng as streams
from attn_jax.analyses.case import Case
from attn_jax.errors import UserError
from attn_jax.models.one_word import OneWord
from attn_jax.models.seam import AttentiveModel
from attn_jax.models.seq2seq import Seq2Seq
from attn_jax.types import Evidence, Example, Params

# One importance a token of one case, 0 where attention may not look. Hashable: it is static.
Method = Callable[[Case], Float[Array, "*M T"]]


def saliency(
    model: AttentiveModel,
    params: Params,
    batch: Example,
    evidence: Evidence,
    rng: Key[Array, ""],
    methods: Mapping[str, Method],
) -> dict[str, Float[Array, "B *M T"]]:
    """The scores of each method on a batch, one jitted program. `rng` is the seed's root stream.

    A text gets scores [T], a document [M, T]. A translation gets [S, T]: what each word that is written
    owes to each word that was read.
    """
    if evidence.logits.ndim > 2 and not isinstance(model, Seq2Seq):
        raise UserError(
            f"Saliency has no view of {type(model).__name__}, which says several things at once: use a "
            "classifier, or a recurrent translation model."
        )
    return _scores(model, params, batch, evidence, rng, tuple(methods.items()))


@jax.jit(static_argnums=(0, 5))
def _scores(
    model: AttentiveModel,
    params: Params,
    batch: Example,
    evidence: Evidence,
    rng: Key[Array, ""],
    methods: tuple[tuple[str, Method], ...],
) -> dict[str, Float[Array, "B *M T"]]:
    def each(case: Case) -> dict[str, Float[Array, "*M T"]]:
        return {name: method(case) for name, method in methods}

    def one(example: Example, seen: Evidence) -> dict[str, Float[Array, "*M T"]]:
        own = streams.instance(streams.stream(rng, "attention"), example.index)
        if isinstance(model, Seq2Seq):
            writer, words = model, jnp.arange(seen.alpha.shape[0])
            return jax.vmap(lambda word: each(_at(OneWord(writer, word), params, example, seen, own)))(words)
        return each(Case(model, params, example, seen, own))

    return jax.vmap(one)(batch, evidence)


def _at(view: OneWord, params: Params, example: Example, seen: Evidence, rng: Key[Array, ""]) -> Case:
    return Case(view, params, example, view.of(seen), rng)
