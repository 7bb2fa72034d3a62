"""Every question of the debate, by the paper that asked it first."""

from attn_jax.results.asks import jain_wallace, mohankumar, pruthi, saliency, serrano_smith, wiegreffe_pinter
from attn_jax.results.debate import Ask

ALL: tuple[Ask, ...] = (
    *jain_wallace.ASKS,
    *wiegreffe_pinter.ASKS,
    *serrano_smith.ASKS,
    *pruthi.ASKS,
    *mohankumar.ASKS,
    *saliency.ASKS,
)
