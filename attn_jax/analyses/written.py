"""What a model writes for a batch of sources, under its own attention or another one."""

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Int, Key

from attn_jax import rng as streams
from attn_jax.models.alterations import ALTERATIONS
from attn_jax.models.writing import Alterations, Writer
from attn_jax.types import Example, Params

Altered = tuple[tuple[str, str], ...]  # (site, name of the alteration): hashable, so programs are shared


@jax.jit(static_argnames=("model", "altered", "steps"))
def rollouts(
    params: Params, batch: Example, rng: Key[Array, ""], *, model: Writer, altered: Altered, steps: int
) -> Int[Array, "B S"]:
    """Greedy texts (Vashishth et al. 2019, Table 3); an instance's draws are the same in whatever batch."""

    def one(example: Example) -> Array:
        own = streams.instance(rng, jnp.asarray(example.index))
        return model.rollout(params, example, _alterations(altered), own, steps=steps)

    return jax.vmap(one)(batch)


@jax.jit(static_argnames=("model", "altered", "steps", "width", "end"))
def beams(
    params: Params,
    batch: Example,
    rng: Key[Array, ""],
    *,
    model: Writer,
    altered: Altered,
    steps: int,
    width: int,
    end: int,
) -> Int[Array, "B S"]:
    """Texts by beam search; every text that is kept sees the same draws."""

    def one(example: Example) -> Array:
        own = streams.instance(rng, jnp.asarray(example.index))
        return model.beam(params, example, _alterations(altered), own, steps=steps, width=width, end=end)

    return jax.vmap(one)(batch)


def _alterations(altered: Altered) -> Alterations:
    return {site: ALTERATIONS[name] for site, name in altered}
