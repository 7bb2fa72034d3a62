"""What Pruthi et al. (2020) asked."""

from attn_jax.results.asks.papers import FIXED_STATES, PRUTHI, READERS
from attn_jax.results.debate import Ask

ASKS = (
    Ask(
        test="manipulation",
        question="Can training hide the attention from the tokens that matter?",
        answer="manipulated/mass_mean@1",
        measure="mean attention on the hidden tokens after training with lambda 1",
        low=PRUTHI,
        high=READERS,
        little=0.1,
        much=0.5,
        ceiling="manipulated/mass_mean@0",
        beside={
            "their share of the tokens": "manipulated/token_share_mean",
            "mass at lambda 0.1": "manipulated/mass_mean@0.1",
            "accuracy at 0": "manipulated/accuracy@0",
            "at 0.1": "manipulated/accuracy@0.1",
            "at 1": "manipulated/accuracy@1",
        },
        limits=("The ceiling is the mass of the same model without the hiding term.",),
    ),
    Ask(
        test="manipulation",
        question="What does hiding cost in accuracy?",
        answer="manipulated/accuracy_lost@1",
        measure="accuracy without the hiding term minus that with lambda 1",
        low=PRUTHI,
        high=READERS,
        little=0.03,
        much=0.1,
    ),
    Ask(
        test="manipulation",
        question="How little attention could lie on them without any training?",
        answer="manipulated/least_mass_mean",
        measure="exact least mass at the trial's epsilon, states fixed (an outer bound above two classes)",
        low=PRUTHI,
        high=READERS,
        little=0.1,
        much=0.5,
        ceiling="manipulated/mass_mean@0",
        beside={"most": "manipulated/most_mass_mean"},
        limits=(FIXED_STATES,),
        needs="a decoder that is affine in the attention",
    ),
)
