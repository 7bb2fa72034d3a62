"""Encoders in bfloat16, for accelerators that multiply it faster; everything after them stays in float32."""

from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float

from attn_jax.models.encoders import States
from attn_jax.models.wrappers import Wrapper
from attn_jax.types import AnyArray


class Bfloat16(Wrapper):
    """Another encoder, its weights and words rounded to bfloat16 at each call.

    The weights that are kept and trained are float32, and so are the states handed on: attention's softmax,
    the decoder and the logits never see bfloat16.
    """

    def __call__(self, x: Float[Array, "T E"], valid: Bool[AnyArray, "T"]) -> States:
        """The inner encoder's states and summary, in float32."""
        rounded = nn.map_variables(
            lambda inner, x, valid: inner(x, valid),
            "params",
            trans_in_fn=lambda params: _cast(params, jnp.bfloat16),
            trans_out_fn=lambda params: _cast(params, jnp.float32),
            init=self.is_initializing(),
        )
        return _cast(rounded(self.inner, x.astype(jnp.bfloat16), valid), jnp.float32)


def _cast(tree: Any, dtype: Any) -> Any:
    return jax.tree.map(lambda leaf: leaf.astype(dtype), tree)
