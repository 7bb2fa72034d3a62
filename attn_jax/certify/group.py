"""The attention mass that can be put on a token group while the output stays where it is."""

import chex
import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike
from jaxtyping import Bool, Float

from attn_jax.certify import classes, door, slab, vertices
from attn_jax.types import AnyArray


def group_mass(
    alpha: door.Alpha,
    token_logits: door.TokenLogits,
    mask: door.Mask,
    group: Bool[AnyArray, "T"],
    epsilon: ArrayLike,
) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """(low, high): no attention whose output moves by <= epsilon (TVD) puts less or more on the group.

    Pruthi et al. (2020) train models to hide such mass; this asks how much could be hidden or shown with
    the states as they are. The mass is linear, so its extremes are at the vertices that `max_jsd` visits.
    Exact for a binary output, up to the slab's rounding, by which the range is widened; for C > 2 the
    tightest of the class pairs' bounds. Nothing attendable: (0, 0).
    """
    chex.assert_equal_shape([alpha, group])
    weights, logits, inside = door.enter(alpha, token_logits, mask)
    member = jnp.where(inside & jnp.asarray(group), 1.0, 0.0).astype(weights.dtype)
    scores, slabs = classes.outer(weights, logits, inside, epsilon)
    least, most = (
        jax.vmap(lambda s, within, goal=goal: _most(goal, s, within, inside))(scores, slabs).min()
        for goal in (-member, member)
    )
    own, room = weights @ member, 4 * jnp.finfo(weights.dtype).eps
    low = jnp.minimum(jnp.clip(-least - room, 0.0, 1.0), own)
    high = jnp.maximum(jnp.clip(most + room, 0.0, 1.0), own)
    return jnp.where(inside.any(), low, 0.0), jnp.where(inside.any(), high, 0.0)


def _most(
    goal: Float[Array, "T"], s: Float[Array, "T"], within: slab.Slab, mask: Bool[Array, "T"]
) -> Float[Array, ""]:
    """The greatest goal.a over the slab."""

    def mass(weight: Array, one: vertices.Terms, other: vertices.Terms) -> Array:
        return weight * one[0] + (1.0 - weight) * other[0]

    return vertices.best(mass, (goal,), s, within, mask).value
