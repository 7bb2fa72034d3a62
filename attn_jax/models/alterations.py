"""Attention put in the place of a model's own: uniform, random, permuted (Vashishth et al. 2019, 4.1).

Each is `(rng, alpha, mask) -> alpha` over [*Q, T], every row on its own, for `forward_altered` (Infer). The
modules of `attentions` that train with altered weights (Train+Infer) call the same functions.
"""

from collections.abc import Callable, Mapping

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Key

from attn_jax import masking, shuffling
from attn_jax.models.seam import Alteration
from attn_jax.types import AnyArray


def uniform(
    rng: Key[Array, ""], alpha: Float[Array, "*Q T"], mask: Bool[AnyArray, "*Q T"]
) -> Float[Array, "*Q T"]:
    """1/n on each of a row's n attendable tokens."""
    return masking.uniform(mask)


def random(
    rng: Key[Array, ""], alpha: Float[Array, "*Q T"], mask: Bool[AnyArray, "*Q T"]
) -> Float[Array, "*Q T"]:
    """U(0, 1) on each attendable token, each row normalised."""
    return _in_each_row(
        lambda rng, alpha, mask: masking.normalise(jax.random.uniform(rng, mask.shape), mask),
        rng,
        alpha,
        mask,
    )


def permuted(
    rng: Key[Array, ""], alpha: Float[Array, "*Q T"], mask: Bool[AnyArray, "*Q T"]
) -> Float[Array, "*Q T"]:
    """Each row's weights shuffled over its attendable tokens."""
    return _in_each_row(lambda rng, alpha, mask: permute(rng, alpha, mask, 1)[0], rng, alpha, mask)


ALTERATIONS: Mapping[str, Alteration] = {"uniform": uniform, "random": random, "permute": permuted}


def permute(
    rng: Key[Array, ""], alpha: Float[Array, "T"], mask: Bool[AnyArray, "T"], samples: int
) -> Float[Array, "K T"]:
    """Random permutations of the attendable tokens' weights, whatever padding follows them.

    Several are orders of weights that were shuffled once before, which makes each uniform (`shuffling`).
    """
    first, others = (rng, rng) if samples == 1 else jax.random.split(rng)
    shuffled = shuffling.once(first, alpha, mask)[:, None]
    if samples > 1:
        order = shuffling.orders(others, mask.sum(), mask.shape[0], samples)
        shuffled = shuffled[:, 0].at[order].get(mode="promise_in_bounds")
    # The i-th weight of the shuffled order goes to the i-th attendable token.
    places = jnp.maximum(jnp.cumsum(mask) - 1, 0)
    return jnp.where(mask[:, None], shuffled.at[places].get(mode="promise_in_bounds"), 0.0).T


def _in_each_row(
    alter: Callable[[Array, Array, Array], Array],
    rng: Key[Array, ""],
    alpha: Float[Array, "*Q T"],
    mask: Bool[AnyArray, "*Q T"],
) -> Float[Array, "*Q T"]:
    """Rows draw from streams of their own, so neither rows nor columns of padding move another's draws."""
    if mask.ndim == 1:
        return alter(rng, alpha, jnp.asarray(mask))
    rngs = jax.vmap(jax.random.fold_in, (None, 0))(rng, jnp.arange(mask.shape[0]))
    return jax.vmap(lambda rng, alpha, mask: _in_each_row(alter, rng, alpha, mask))(rngs, alpha, mask)
