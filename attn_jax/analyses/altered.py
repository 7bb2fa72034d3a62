"""What does a trained model say when its attention is replaced after the fact?"""

from collections.abc import Callable
from typing import NamedTuple

from jax import Array
from jaxtyping import Bool, Float, Key

from attn_jax import masking
from attn_jax.models.alterations import permute
from attn_jax.types import AnyArray


class Altered(NamedTuple):
    """Logits under other attention, the states held fixed."""

    uniform: Float[Array, "C"]
    permuted: Float[Array, "C"]


def altered(
    decode: Callable[[Float[Array, "T"]], Float[Array, "C"]],
    alpha: Float[Array, "T"],
    mask: Bool[AnyArray, "T"],
    rng: Key[Array, ""],
) -> Altered:
    """Uniform attention and one random permutation of the weights (Tutek & Snajder 2020, section 3.2)."""
    return Altered(decode(masking.uniform(mask)), decode(permute(rng, alpha, mask, 1)[0]))
