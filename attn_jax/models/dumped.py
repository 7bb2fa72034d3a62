"""A model that was trained elsewhere, known by its attention and the logits of each token alone."""

from typing import Any, ClassVar

import flax.linen as nn
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from attn_jax import masking
from attn_jax.models.seam import AttentiveModel
from attn_jax.types import Embedded, Encoded, Example, Params


class Dumped(AttentiveModel):
    """Its parameters are token logits [N, T, C]; an example brings its attention and the number of its row.

    What holds the states fixed works on it as on any model. What encodes anew does not: of another text
    nothing is known.
    """

    affine: ClassVar[bool] = True

    @nn.nowrap
    def embed(self, params: Params, example: Example) -> Embedded:
        """The row's token logits, cut to the example's length."""
        x = jnp.asarray(params)[jnp.asarray(example.index)][: example.ids.shape[-1]]
        return Embedded(x, example.valid, example.attendable, given=example.given)

    @nn.nowrap
    def encode(self, params: Params, embedded: Embedded, **options: Any) -> Encoded:
        """A state is what the token says alone."""
        return Encoded(embedded.x, embedded.attendable, given=embedded.given)

    @nn.nowrap
    def attend(self, params: Params, encoded: Encoded, **options: Any) -> Float[Array, "T"]:
        """The attention that was dumped."""
        return masking.normalise(jnp.asarray(encoded.given), encoded.mask)

    @nn.nowrap
    def decode(self, params: Params, encoded: Encoded, alpha: Float[Array, "T"]) -> Float[Array, "C"]:
        """Affine: the mean of what the tokens say."""
        return alpha @ encoded.states

    @nn.nowrap
    def token_logits(self, params: Params, encoded: Encoded) -> Float[Array, "T C"]:
        """As dumped."""
        return encoded.states
