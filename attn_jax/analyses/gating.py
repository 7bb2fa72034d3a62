"""Is a model's attention more than a gate? Proposition 4.1 of Vashishth et al. (2019), on real weights.

A gating unit is h(x) = f(x) * sigma(g(x)) (Dauphin et al. 2017): what passes is decided by x alone. With
f the identity and sigma the softmax this is attention over a single sequence, eq. 1; attention that
also depends on a second text, g(x, y), does not reduce to it. Here both halves become numbers.
"""

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from attn_jax import masking
from attn_jax.models.seam import AttentiveModel
from attn_jax.types import Encoded, Params


def gate(
    model: AttentiveModel, params: Params, encoded: Encoded, state: Float[Array, "H"]
) -> Float[Array, ""]:
    """g(x) of one token, up to a constant: its score beside an empty state, as the model's attention sees it.

    Nothing but x goes in (of a query only its size, its numbers are 0), so this is g for any
    attention module, without a look at its parameters.
    """
    alone = encoded.replace(
        states=jnp.stack([jnp.zeros_like(state), state]),
        mask=jnp.ones(2, bool),
        query=None if encoded.query is None else jnp.zeros_like(encoded.query),
        given=None,
    )
    alpha = model.attend(params, alone)
    return jnp.log(alpha[1]) - jnp.log(alpha[0])


def gates(model: AttentiveModel, params: Params, encoded: Encoded) -> Float[Array, "T"]:
    """sigma(g(x_t)): the weights that the gating form gives to each token (Proposition 4.1)."""
    scores = jax.vmap(lambda state: gate(model, params, encoded, state))(encoded.states)
    return masking.softmax(scores, encoded.mask)


def gating_form(model: AttentiveModel, params: Params, encoded: Encoded) -> Float[Array, "C"]:
    """Logits of the gated network on the same weights: f is the identity, the decoder is the model's."""
    return model.decode(params, encoded, gates(model, params, encoded))


def gating_gap(
    model: AttentiveModel, params: Params, encoded: Encoded, alpha: Float[Array, "T"]
) -> Float[Array, ""]:
    """Total variation between attention and its gating form: 0 where the proposition holds."""
    return jnp.abs(alpha - gates(model, params, encoded)).sum() / 2


def query_spread(
    model: AttentiveModel, params: Params, encoded: Encoded, queries: Float[Array, "K Q"]
) -> Float[Array, ""]:
    """How far attention over the same states moves with the second text: largest total variation from mean.

    Any gate g(x) whatever, not only the one on these weights, gives one alpha for all queries and so 0;
    a positive value rules every gating form out.
    """

    def attention(query: Float[Array, "Q"]) -> Float[Array, "T"]:
        return model.attend(params, encoded.replace(query=query))

    alphas = jax.vmap(attention)(queries)
    return jnp.abs(alphas - alphas.mean(0, keepdims=True)).sum(-1).max() / 2
