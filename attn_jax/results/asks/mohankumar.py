"""What Mohankumar et al. (2020) asked."""

from attn_jax.results.asks.papers import FIXED_STATES, MOHANKUMAR, OFF_MANIFOLD, READERS
from attn_jax.results.debate import Ask

_LAMBDA = "Diversity: lambda 0.5, the strength of one example of theirs, not chosen on dev."
_CLASSES = "Word classes are closed lists of English, not part-of-speech tags: no corpus here has tags."
_CASE = {"little": 0.0, "much": 0.02, "low": f"not {MOHANKUMAR}", "high": MOHANKUMAR}


def _more(variant: str, words: str, needs: str = "") -> Ask:
    return Ask(
        test="diversity",
        question=f"Is attention a better order of erasure in {words}?",
        answer=f"{variant}/attention_saves_minus_plain_mean",
        measure="tokens saved against a random order, as a share, minus those that the plain model saves",
        beside={
            "attention removes": f"{variant}/removed_attention_fraction_mean",
            "in the plain model": "plain/removed_attention_fraction_mean",
            "accuracy": f"{variant}/accuracy",
            "plain accuracy": "plain/accuracy",
            "conicity": f"{variant}/conicity_mean",
            "attention on function words": f"{variant}/attention_on_function_mean",
            "plain": "plain/attention_on_function_mean",
        },
        limits=(_LAMBDA, _CLASSES, FIXED_STATES, OFF_MANIFOLD),
        needs=needs or "instances that both models can be made to flip",
        **_CASE,
    )


ASKS = (
    Ask(
        test="diversity",
        question="Do the states of a text all point one way?",
        answer="plain/conicity_mean",
        measure="conicity, mean over instances (1: all on one line)",
        low=f"{READERS}: each state stands for its own token",
        high=MOHANKUMAR,
        little=0.3,
        much=0.5,
        beside={"diversity": "diversity/conicity_mean", "orthogonal": "orthogonal/conicity_mean"},
        limits=("Random states of the same width would have a conicity of about one over the root of n.",),
    ),
    _more("diversity", "a model trained for diverse states"),
    _more("orthogonal", "an orthogonal LSTM", "a BiLSTM"),
)
