"""The epsilon-max JSD as a function of epsilon: whether a large value hangs on the chosen tolerance."""

import jax
from jaxtyping import Float

from attn_jax.certify import door
from attn_jax.certify.adversary import MaxJsd, max_jsd
from attn_jax.types import AnyArray


def jsd_curve(
    alpha: door.Alpha, token_logits: door.TokenLogits, mask: door.Mask, epsilons: Float[AnyArray, "K"]
) -> MaxJsd:
    """`max_jsd` at each epsilon: every field with a leading axis K. Neither bound falls as
    epsilon grows where the output is binary.

    One epsilon after the other: each fills the byte budget of a block by itself.
    """
    return jax.lax.map(lambda epsilon: max_jsd(alpha, token_logits, mask, epsilon), epsilons)
