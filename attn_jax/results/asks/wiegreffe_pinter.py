"""What Wiegreffe & Pinter (2019) asked."""

from attn_jax.results.asks.papers import CAUSAL, JAIN_WALLACE
from attn_jax.results.asks.papers import WIEGREFFE_PINTER as WP
from attn_jax.results.debate import Ask
from attn_jax.results.findings import TVD_LITTLE

_LENGTH = "Trained for as many epochs as the base; theirs for up to 80, with an early stop."
_STRENGTHS = ("0", "0.0005", "0.005", "0.02", "0.1")
_SEEDS = "Eight seeds beside the base's first, trained in one program."

ASKS = (
    Ask(
        test="uniform",
        question="Is attention needed, or do equal weights serve as well?",
        answer="accuracy_minus_uniform",
        measure="accuracy of the model minus that of one trained with equal weights",
        low=f"{WP} of their easier corpora: attention is not needed, so its weights decide nothing",
        high=f"{WP}: attention is needed, and worth testing",
        little=0.01,
        much=0.01,
        beside={"F1": "attentive/f1", "F1 with equal weights": "uniform/f1"},
        limits=("A dispensable attention can still be the one that this model used.",),
    ),
    Ask(
        test="seeds",
        question="How far is attention from that of another seed?",
        answer="seeds/jsd_median_mean",
        measure="median JSD of eight seeds from the base, mean over instances, nats",
        low=f"{WP}: attention is stable, and adversaries are to be judged against that",
        high=f"{JAIN_WALLACE}: attention is arbitrary",
        little=0.1,
        much=0.3,
        beside={
            "change of the output (TVD)": "seeds/tvd_mean",
            **{
                f"largest weight {bin}": f"seeds/jsd_median_mean@{bin}"
                for bin in ("0-0.25", "0.25-0.5", "0.5-0.75", "0.75-1")
            },
        },
        limits=(_SEEDS, "The base is one seed: how unusual it is itself is not in the interval."),
    ),
    Ask(
        test="adversary",
        question="Can a model be trained to say the same and attend elsewhere?",
        answer="adversary/jsd_mean",
        measure="mean JSD from the base, of the lambda of greatest JSD whose mean TVD on dev is below "
        f"{TVD_LITTLE:g}, nats",
        low=f"{WP}: a trained adversary is held closer than one found instance by instance",
        high=JAIN_WALLACE,
        little=0.3,
        much=0.5,
        ceiling="exact_jsd_mean",
        beside={
            "TVD": "adversary/tvd_mean",
            "F1": "adversary/f1",
            **{
                f"JSD at lambda {s}": f"adversary/jsd_mean@{s}"
                for s in ("0", "0.0005", "0.005", "0.02", "0.1")
            },
            **{
                f"TVD at lambda {s}": f"adversary/tvd_mean@{s}"
                for s in ("0", "0.0005", "0.005", "0.02", "0.1")
            },
        },
        limits=(
            _LENGTH,
            "The ceiling is the exact eps-max JSD with the states fixed, nothing trained.",
            CAUSAL,
        ),
    ),
    Ask(
        test="adversary",
        question="Is the trained adversary's attention further away than another seed's?",
        answer="adversary/seed_quantile_mean",
        measure="share of the seeds that are nearer to the base than the adversary is, mean over instances",
        low=f"{JAIN_WALLACE}: the base's own attention is as arbitrary as the adversary's",
        high=f"{WP}: adversarial attention is not what training finds",
        little=0.6,
        much=0.9,
        null="",
        limits=(_SEEDS, _LENGTH, "0.5 where the adversary is as far as any seed."),
    ),
    Ask(
        test="guided",
        question="Do the weights help a model that sees single tokens only?",
        answer="guided_base/accuracy_minus_uniform",
        measure="accuracy of an MLP under the base's frozen attention minus that under equal weights",
        low=f"{JAIN_WALLACE}: the weights mean nothing outside their model",
        high=WP,
        little=0.0,
        much=0.01,
        null="guided_adversary/accuracy_minus_uniform",
        ceiling="guided_trained/accuracy_minus_uniform",
        beside={f"F1 {guide}": f"guided_{guide}/f1" for guide in ("uniform", "trained", "base", "adversary")},
        limits=(
            "The guide is the attention of the base's first seed; what varies over seeds is the MLP.",
            "The null is the trained adversary's attention, the ceiling the MLP's own.",
        ),
    ),
    *(
        Ask(test=test, question=question, answer=answer, measure=measure)
        for test, question, answer, measure in (
            (
                "adversary",
                "How far do the adversary's outputs move?",
                "adversary/tvd_mean",
                "mean TVD",
            ),
            ("adversary", "How well does the adversary do?", "adversary/f1", "F1"),
            ("guided", "How well does the MLP do under equal weights?", "guided_uniform/f1", "F1"),
            ("guided", "How well does the MLP do with attention of its own?", "guided_trained/f1", "F1"),
            ("guided", "How well does the MLP do under the base's attention?", "guided_base/f1", "F1"),
            ("guided", "How well does the MLP do under the adversary's?", "guided_adversary/f1", "F1"),
        )
    ),
)
