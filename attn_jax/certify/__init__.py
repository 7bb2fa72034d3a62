"""Exact answers about fixed states, for decoders affine in alpha: what a search can only approach."""

from attn_jax.certify.adversary import MaxJsd, max_jsd
from attn_jax.certify.curve import jsd_curve
from attn_jax.certify.flip import FlipAt, MinimalFlip, flip_at, minimal_flip
from attn_jax.certify.group import group_mass
from attn_jax.certify.model import Certificates, of
from attn_jax.certify.null import null_jsd, shuffled
from attn_jax.certify.permuted import permuted_jsd
from attn_jax.certify.ranges import PermutationRange, permutation_range

__all__ = [
    "Certificates",
    "FlipAt",
    "MaxJsd",
    "MinimalFlip",
    "PermutationRange",
    "flip_at",
    "group_mass",
    "jsd_curve",
    "max_jsd",
    "minimal_flip",
    "null_jsd",
    "of",
    "permutation_range",
    "permuted_jsd",
    "shuffled",
]
