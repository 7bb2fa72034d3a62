"""Do attention, gradients and leave-one-out rank the tokens alike?"""

from typing import NamedTuple

import jax
from jax import Array
from jaxtyping import Bool, Float, Key

from attn_jax.models.alterations import permute
from attn_jax.ranking import Tau, kendall_tau
from attn_jax.types import AnyArray


class Agreement(NamedTuple):
    """Kendall's tau-b of each pair of scores, NaN where undefined."""

    gradient: Tau  # attention and gradient: tau_g
    loo: Tau  # attention and leave-one-out: tau_loo
    gradient_loo: Tau
    gradient_shuffled: Tau  # the null: the same weights on other tokens
    loo_shuffled: Tau


def agreement(
    alpha: Float[Array, "T"],
    gradient: Float[Array, "T"],
    loo: Float[Array, "T"],
    mask: Bool[AnyArray, "T"],
    rng: Key[Array, ""],
) -> Agreement:
    """Jain & Wallace (2019), Alg. 1, and beside it the third pair and a null with shuffled attention."""
    shuffled = permute(rng, alpha, mask, 1)[0]
    taus = jax.vmap(kendall_tau, (0, 0, None))
    first = jax.numpy.stack([alpha, alpha, gradient, shuffled, shuffled])
    second = jax.numpy.stack([gradient, loo, loo, gradient, loo])
    tau, p_value = taus(first, second, mask)
    return Agreement(*(Tau(tau[i], p_value[i]) for i in range(5)))
