"""What Serrano & Smith (2019) asked."""

from attn_jax.results.asks.papers import FIXED_STATES, OFF_MANIFOLD, READERS, SERRANO_SMITH
from attn_jax.results.debate import Ask

_LIMITS = (FIXED_STATES, OFF_MANIFOLD)
_AFFINE = "a decoder that is affine in the attention"

ASKS = (
    Ask(
        test="erasure",
        question="How often does erasing the highest weight alone change the decision?",
        answer="single_only_top_flips_share",
        measure="share of instances where the highest weight flips it and a random other one does not",
        low=SERRANO_SMITH,
        high=READERS,
        little=0.1,
        much=0.5,
        null="single_only_other_flips_share",
        beside={"neither flips": "single_neither_flips_share", "both flip": "single_both_flip_share"},
        limits=_LIMITS,
    ),
    Ask(
        test="erasure",
        question="Do fewer weights have to go in the order of attention than in random order?",
        answer="removed_random_minus_attention_fraction_mean",
        measure="share of the tokens saved against a random order, where some set flips the decision",
        low=SERRANO_SMITH,
        high=READERS,
        little=0.05,
        much=0.2,
        null="",
        beside={
            "attention removes": "removed_attention_fraction_mean",
            "random": "removed_random_fraction_mean",
            "the smallest flip set": "removed_smallest_fraction_mean",
            "attention never flips": "removed_attention_never_flips_share",
        },
        limits=_LIMITS,
        needs=_AFFINE,
    ),
    Ask(
        test="erasure",
        question="Does another order flip the decision sooner than attention does?",
        answer="removed_gradient_x_attention_minus_attention_fraction_mean",
        measure="share of the tokens that gradient x attention removes, minus that of attention",
        low=SERRANO_SMITH,
        high=READERS,
        little=-0.02,
        much=0.0,
        beside={
            "attention's tokens beyond the smallest set": "removed_attention_regret_mean",
            "gradient x attention's": "removed_gradient_x_attention_regret_mean",
            "gradient's": "removed_gradient_regret_mean",
            "random's": "removed_random_regret_mean",
        },
        limits=_LIMITS,
        needs=_AFFINE,
    ),
)
