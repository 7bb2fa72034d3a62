"""Exact answers about fixed states, for decoders affine in alpha: what a search can only approach."""

from attn_jax.certify.adversary import MaxJsd, max_jsd

__all__ = ["MaxJsd", "max_jsd"]
