"""One example under explanation: what every saliency method, erasure and score of them is given."""

import dataclasses

from jax import Array
from jaxtyping import Float, Key

from attn_jax.models.seam import AttentiveModel
from attn_jax.types import Evidence, Example, Params


@dataclasses.dataclass(frozen=True)
class Case:
    """A model, one example, and what was seen of it at the model's first site; callers `vmap`.

    `rng` is the instance's stream for random attention; whoever draws otherwise takes a stream of its own
    name from it.
    """

    model: AttentiveModel
    params: Params
    example: Example
    seen: Evidence
    rng: Key[Array, ""]

    @property
    def alpha(self) -> Float[Array, "*Q T"]:
        """The model's own attention."""
        return self.seen.alpha

    @property
    def logits(self) -> Float[Array, "C"]:
        """The model's own output."""
        return self.seen.logits
