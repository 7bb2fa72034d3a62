"""Does a model that writes look at the words it writes again, and does it write them right?"""

from collections.abc import Mapping

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Key

from attn_jax.models.seam import AttentiveModel
from attn_jax.types import Example, Params


@jax.jit(static_argnums=(0, 4))
def alignment(
    model: AttentiveModel, params: Params, batch: Example, rng: Key[Array, ""], places: tuple[int, ...]
) -> Mapping[str, Array]:
    """Columns [B]: the attention on each word's own source token, and the share of words that are right.

    `places` names that token by position; both are means over the words that have one, the words before
    each one given (Pruthi et al. 2020).
    """

    def one(example: Example) -> Mapping[str, Array]:
        encoded = model.encode(params, model.embed(params, example))
        alpha = model.attend(params, encoded)
        words = jnp.asarray(example.target_ids)[1 : 1 + len(places)]
        said = jnp.argmax(model.decode(params, encoded, alpha), -1)[: len(places)]
        mass = alpha[jnp.arange(len(places)), jnp.array(places)]
        return {"mass": mass.mean(), "right": (said == words).mean()}

    return jax.vmap(one)(batch)
