"""What every saliency method is, and many of them on one batch."""

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

import jax
from jax import Array
from jaxtyping import Float, Key

from attn_jax import rng as streams
from attn_jax.errors import UserError
from attn_jax.models.seam import AttentiveModel
from attn_jax.types import Evidence, Example, Params


@runtime_checkable
class Method(Protocol):
    """One importance a token of one example, 0 where attention may not look. Hashable: it is static.

    `alpha` and `logits` are the model's own for this example; `rng` is the instance's attention stream,
    from which a method that draws takes a stream of its own name.
    """

    def __call__(
        self,
        model: AttentiveModel,
        params: Params,
        example: Example,
        alpha: Float[Array, "T"],
        logits: Float[Array, "C"],
        rng: Key[Array, ""],
    ) -> Float[Array, "T"]:
        """Scores of one example; callers `vmap`."""
        ...


def saliency(
    model: AttentiveModel,
    params: Params,
    batch: Example,
    evidence: Evidence,
    rng: Key[Array, ""],
    methods: Mapping[str, Method],
) -> dict[str, Float[Array, "B T"]]:
    """The scores of each method on a batch, one jitted program. `rng` is the seed's root stream."""
    if evidence.alpha.ndim != 2:
        raise UserError(
            f"Saliency scores one sequence a text, but {type(model).__name__} attends with weights of shape "
            f"{evidence.alpha.shape[1:]}: use a model whose attention is one weight a token."
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
) -> dict[str, Float[Array, "B T"]]:
    def one(example: Example, seen: Evidence) -> dict[str, Float[Array, "T"]]:
        own = streams.instance(streams.stream(rng, "attention"), example.index)
        return {
            name: method(model, params, example, seen.alpha, seen.logits, own) for name, method in methods
        }

    return jax.vmap(one)(batch, evidence)
