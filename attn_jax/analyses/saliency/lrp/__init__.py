"""Layer-wise relevance propagation: one rule, and its way through decoders, attention and encoders."""

from attn_jax.analyses.saliency.lrp.method import LRP, Conservation
from attn_jax.analyses.saliency.lrp.rule import Rule

__all__ = ["LRP", "Conservation", "Rule"]
