"""An LSTM whose states are kept from pointing one way (Mohankumar et al. 2020): the orthogonal LSTM."""

from typing import ClassVar

import flax.linen as nn
import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float

from attn_jax.models.encoders import States
from attn_jax.models.layers import uniform_within
from attn_jax.models.recurrence import lstm_gates
from attn_jax.types import AnyArray

_NEAR_ZERO = 1e-6  # theirs: keeps the first projection, on a mean of 0, finite


class OrthogonalBiLSTM(nn.Module):
    """Both directions of `OrthogonalLSTM`, `hidden` units each; summary: both final states.

    Differs from the paper, which reads forwards only: so it stands beside the BiLSTM of all other tests.
    Each direction is orthogonal in itself.
    """

    hidden: int = 128

    skips_gaps: ClassVar[bool] = True

    @nn.compact
    def __call__(self, x: Float[Array, "T E"], valid: Bool[AnyArray, "T"]) -> States:
        """States [T, 2 * hidden], 0 outside `valid`."""
        ahead, last = OrthogonalLSTM(self.hidden, name="forward_0")(x, valid)
        back, first = OrthogonalLSTM(self.hidden, reverse=True, name="backward_0")(x, valid)
        return jnp.concatenate([ahead, back], -1), jnp.concatenate([last, first])


class OrthogonalLSTM(nn.Module):
    """One direction: each state loses its part along the mean of the states before it, and is fed back so."""

    features: int
    reverse: bool = False

    @nn.compact
    def __call__(
        self, x: Float[Array, "T I"], valid: Bool[AnyArray, "T"]
    ) -> tuple[Float[Array, "T H"], Float[Array, "H"]]:
        """States, 0 outside `valid`, and the last one."""
        init = uniform_within(self.features**-0.5)
        gates = nn.Dense(4 * self.features, kernel_init=init, bias_init=init, name="input")(x)
        recurrent = self.param("recurrent", init, (self.features, 4 * self.features))
        zero = jnp.zeros(self.features, gates.dtype)
        (_, last, _), states = jax.lax.scan(
            lambda carry, now: _step(recurrent, carry, *now),
            (zero, zero, zero),
            (gates, valid),
            reverse=self.reverse,
        )
        return states, last


def _step(recurrent: Array, carry: tuple[Array, Array, Array], gates: Array, valid: AnyArray):
    """The carry holds cell, state and the sum of the states so far; padding leaves it as it was."""
    cell, hidden, total = carry
    new_cell, raw = lstm_gates(gates + hidden @ recurrent, cell)
    new_hidden = orthogonal_to(raw, total)
    new = new_cell, new_hidden, total + new_hidden
    carry = jax.tree.map(lambda a, b: jnp.where(valid, a, b), new, carry)
    return carry, jnp.where(valid, new_hidden, 0.0)


def orthogonal_to(state: Float[Array, "H"], total: Float[Array, "H"]) -> Float[Array, "H"]:
    """The state minus its projection on the earlier states' mean, of which only the direction counts.

    Differs from their code: the sum stands in the mean's place, so that 1e-6 weighs a little less.
    """
    return state - (state @ total) / (total @ total + _NEAR_ZERO) * total
