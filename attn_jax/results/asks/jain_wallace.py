"""What Jain & Wallace (2019) asked."""

from attn_jax.results.asks.papers import CAUSAL, FIXED_STATES, JAIN_WALLACE, OFF_MANIFOLD, READERS, VASHISHTH
from attn_jax.results.asks.papers import WIEGREFFE_PINTER as WP
from attn_jax.results.debate import Ask
from attn_jax.results.findings import JSD_MARGIN, TAU_LITTLE, TAU_MUCH, TVD_LITTLE, TVD_MUCH

_TAU = {"little": TAU_LITTLE, "much": TAU_MUCH, "low": JAIN_WALLACE, "high": READERS}

ASKS = (
    Ask(
        test="trial",
        question="Does the model work?",
        answer="accuracy",
        measure="accuracy",
        null="majority_share",
    ),
    Ask(
        test="trial",
        question="Does attention rank the tokens as gradients do?",
        answer="tau_gradient_mean",
        measure="Kendall's tau, mean over instances",
        null="tau_gradient_shuffled_mean",
        ceiling="tau_gradient_loo_mean",
        limits=("The ceiling is the agreement of gradients with leave-one-out.",),
        **_TAU,
    ),
    Ask(
        test="trial",
        question="Does attention rank the tokens as leaving each one out does?",
        answer="tau_loo_mean",
        measure="Kendall's tau, mean over instances",
        null="tau_loo_shuffled_mean",
        ceiling="tau_gradient_loo_mean",
        limits=("The ceiling is the agreement of gradients with leave-one-out.", OFF_MANIFOLD),
        **_TAU,
    ),
    Ask(
        test="trial",
        question="Does shuffling the weights move the output?",
        answer="permutation_median_tvd_mean",
        measure="median TVD of 100 permutations, mean over instances",
        low=JAIN_WALLACE,
        high=f"{READERS}; for pair tasks {VASHISHTH}",
        little=TVD_LITTLE,
        much=TVD_MUCH,
        beside={"some permutation changes the decision for a share of": "permutation_can_flip_share"},
        limits=(FIXED_STATES, OFF_MANIFOLD, CAUSAL),
    ),
    Ask(
        test="trial",
        question="Is there attention far away that leaves the output alone, beyond what chance gives?",
        answer="exact_minus_null_jsd_mean",
        measure="exact eps-max JSD minus that with the tokens' contributions shuffled, nats",
        low=f"{WP}: adversaries exist by chance, and mean nothing alone",
        high=JAIN_WALLACE,
        little=-JSD_MARGIN,
        much=JSD_MARGIN,
        beside={
            "exact": "exact_jsd_mean",
            "null": "null_jsd_mean",
            "published search": "search_jsd_mean",
        },
        limits=(FIXED_STATES, CAUSAL),
        needs="a decoder that is affine in the attention",
    ),
)
