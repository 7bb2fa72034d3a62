"""What each test says about attention, in sentences, from the statistics of one run.

A test takes a side only if the whole 95 % interval lies on that side of the threshold. Claims about
adversaries are made relative to the null: a large divergence alone is what any long input gives.
"""

import dataclasses
from typing import Literal

from attn_jax.results.facts import Facts, bounds, interval, number, percent, percent_interval
from attn_jax.results.own_statistics import HIGH_JSD, LITTLE_TVD
from attn_jax.results.records import Record

# "silent": the test cannot tell; "context": it does not judge attention at all.
Stance = Literal["for", "against", "mixed", "silent", "context"]

# The only thresholds: what counts as much and as little. Chosen by us, shown beside every verdict.
TAU_MUCH, TAU_LITTLE = 0.5, 0.2
TVD_MUCH, TVD_LITTLE = 0.10, LITTLE_TVD
JSD_MARGIN = 0.02
AUPRC_MUCH = 0.8
THRESHOLDS = (
    f"Rankings agree if Kendall's tau is at least {TAU_MUCH:.2f} and hardly agree below {TAU_LITTLE:.2f}. "
    f"Shuffling matters if the output moves by at least {TVD_MUCH:.2f}, hardly below {TVD_LITTLE:.2f}. "
    f"An adversary is told from its null by more than {JSD_MARGIN:.2f} nats. Planted words are found "
    f"if the area under the precision-recall curve is at least {AUPRC_MUCH:.2f}, and not found if it is "
    f"no better than a random ranking. A test takes a side only if its whole 95\u00a0% interval does."
)


@dataclasses.dataclass(frozen=True)
class Finding:
    """One test: the question it asks, which side it takes, and the sentences that say so."""

    test: str
    stance: Stance
    text: str


def performance(facts: Facts) -> Finding | None:
    """Whether the model is worth explaining."""
    accuracy = facts.get("accuracy")
    if accuracy is None:
        return None
    seeds = f", over {accuracy.seeds} seeds" if (accuracy.seeds or 1) > 1 else ""
    counted = "the" if accuracy.n is None else f"{accuracy.n:,}"
    text = f"It decides {percent_interval(accuracy)} of {counted} test instances correctly{seeds}."
    majority = facts.get("majority_share")
    if majority is not None:
        text += f" Always giving the commonest answer would decide {percent(majority)}."
        if bounds(accuracy)[0] <= majority.value:
            text += " The model has hardly learned its task, so what it attends to may mean little."
    return Finding("Does the model work?", "context", text)


def agreement(facts: Facts) -> Finding | None:
    """J&W section 4.1: attention beside gradients and leave-one-out."""
    if not facts.has("tau_gradient_mean", "tau_loo_mean"):
        return None
    gradient, loo = facts["tau_gradient_mean"], facts["tau_loo_mean"]
    stance = _side([gradient, loo], much=TAU_MUCH, little=TAU_LITTLE)
    how = {"for": "much", "against": "hardly", "mixed": "only partly"}[stance]
    text = (
        f"Attention orders the words {how} as gradients and deletion do. Kendall's tau (1: the same order, "
        f"0: unrelated) is {interval(gradient)} with gradients and {interval(loo)} with the effect of "
        f"deleting each word."
    )
    return Finding("Does it agree with other explanations?", stance, text + _scale_of_agreement(facts))


def _scale_of_agreement(facts: Facts) -> str:
    """What tau is for shuffled attention, and between the two other measures."""
    text = ""
    if facts.has("tau_gradient_shuffled_mean"):
        text += f" Shuffled attention gives {number(facts['tau_gradient_shuffled_mean'])}."
    if facts.has("tau_gradient_loo_mean"):
        text += (
            f" Gradients and deletion agree with each other at {interval(facts['tau_gradient_loo_mean'])}."
        )
    undefined = facts.get("tau_gradient_undefined_count")
    if undefined is not None and undefined.value:
        of = "" if undefined.n is None else f" of {undefined.n:,}"
        text += f" Tau is undefined for {undefined.value:.0f}{of} instances, left out here."
    return text


def permutation(facts: Facts) -> Finding | None:
    """J&W section 4.2.1: the same weights in another order."""
    moved = facts.get("permutation_median_tvd_mean")
    if moved is None:
        return None
    stance = _side([moved], much=TVD_MUCH, little=TVD_LITTLE)
    how = {"for": "matters", "against": "hardly matters", "mixed": "matters somewhat"}[stance]
    text = (
        f"Which word gets which weight {how}: shuffling the weights at random moves the output by "
        f"{interval(moved)} on a scale from 0 to 1 (median of the shuffles, mean of the instances)."
    )
    flip = facts.get("permutation_can_flip_share")
    if flip is not None:
        share = percent_interval(flip)
        text += f" For {share} of the instances some order of the same weights changes the decision."
    return Finding("Do shuffled weights change the output?", stance, text)


def adversary(facts: Facts) -> Finding | None:
    """J&W section 4.2.2, with the exact optimum and the null beside the search."""
    if facts.has("bound_jsd_low_mean", "bound_jsd_high_mean"):
        return _bracketed(facts)
    if not facts.has("exact_jsd_mean", "null_jsd_mean", "exact_minus_null_jsd_mean"):
        return None
    difference = facts["exact_minus_null_jsd_mean"]
    stance = _side_of_null(difference)
    says = {
        "for": "This attention is harder to replace than chance would have it.",
        "against": "This attention is easier to replace than chance would have it.",
        "silent": "That is too close to tell: such attentions exist here as they would by chance.",
    }[stance]
    text = (
        f"Other attentions that leave the output as it is lie on average {_optimum(facts)} "
        f"(0: the same, 0.69: nothing in common).{_search(facts)} With the words' contributions shuffled, "
        f"which leaves nothing to explain, it is {number(facts['null_jsd_mean'])}: a difference of "
        f"{interval(difference)}. {says}{_reordered(facts)}"
    )
    return Finding("Could another attention give the same output?", stance, text)


def _bracketed(facts: Facts) -> Finding:
    """A decoder that is not affine in attention leaves bounds, and no null to judge them by."""
    low, high = facts["bound_jsd_low_mean"], facts["bound_jsd_high_mean"]
    found = (
        f" The published search finds {number(facts['search_jsd_mean'])}."
        if facts.has("search_jsd_mean")
        else ""
    )
    text = (
        "This decoder is not affine in the attention, so there are bounds instead of an optimum: other "
        f"attentions that leave the output as it is lie on average at least {number(low)} and at most "
        f"{number(high)} nats away (0: the same, 0.69: nothing in common).{found}"
    )
    return Finding("Could another attention give the same output?", "silent", text)


def _optimum(facts: Facts) -> str:
    """The exact mean; its two bounds where more than two classes leave a gap."""
    exact, upper = facts["exact_jsd_mean"], facts.get("exact_upper_bound_mean")
    if upper is None or upper.value - exact.value < 0.005:
        return f"{interval(exact)} nats away by exact optimisation"
    return f"{interval(exact)} nats away, or a little more (certainly no more than {number(upper)})"


def _reordered(facts: Facts) -> str:
    """How far a mere reordering of the weights, as peaked as they are, can go."""
    if not facts.has("permuted_jsd_low_mean", "permuted_jsd_high_mean"):
        return ""
    low, high = number(facts["permuted_jsd_low_mean"]), number(facts["permuted_jsd_high_mean"])
    reach = low if low == high else f"{low} to {high}"
    return f" Only reordering the weights, which keeps them as peaked as they are, reaches {reach}."


def _search(facts: Facts) -> str:
    """What the published search finds where the exact answer is known."""
    found, exact = (facts.get(f"{name}_jsd_above_{HIGH_JSD}_share") for name in ("search", "exact"))
    if not facts.has("search_jsd_mean") or found is None or exact is None:
        return ""
    return (
        f" The published search finds {number(facts['search_jsd_mean'])}, and sees {percent(found)} of the "
        f"instances above {HIGH_JSD} where there are {percent(exact)}."
    )


def planted(facts: Facts) -> Finding | None:
    """Attention against the truth, where the truth is known."""
    if not facts.has("auprc_attention_mean", "auprc_attention_minus_base_rate_mean", "auprc_base_rate_mean"):
        return None
    attention, gain = facts["auprc_attention_mean"], facts["auprc_attention_minus_base_rate_mean"]
    stance: Stance = "for" if bounds(attention)[0] >= AUPRC_MUCH else "mixed"
    if bounds(gain)[0] <= 0:
        stance = "against"
    text = (
        f"The words that decide are known here. Attention finds them with an area under the "
        f"precision-recall curve of {interval(attention)}; 1 would be all of them first, and a random "
        f"ranking reaches {number(facts['auprc_base_rate_mean'])}."
    )
    others = {"gradients": "auprc_gradient_x_input_mean", "deletion": "auprc_loo_mean"}
    known = [f"{name} {interval(facts[metric])}" for name, metric in others.items() if facts.has(metric)]
    if known:
        text += f" For comparison: {', '.join(known)}."
    return Finding("Does it find the words that decide?", stance, text)


def flip(facts: Facts) -> Finding | None:
    """How concentrated the decision is; judges the model, not attention."""
    if not facts.has("flip_share", "flip_fraction_mean"):
        return None
    text = (
        f"Taking attention away from some words changes the decision of "
        f"{percent_interval(facts['flip_share'])} of the instances. Where it does, the smallest such set "
        f"(exact) holds {percent(facts['flip_fraction_mean'])} of the words on average."
    )
    return Finding("How many words carry the decision?", "context", text)


def _side(records: list[Record], *, much: float, little: float) -> Stance:
    """For if every interval is above `much`, against if every one is below `little`."""
    if all(bounds(record)[0] >= much for record in records):
        return "for"
    if all(bounds(record)[1] < little for record in records):
        return "against"
    return "mixed"


def _side_of_null(difference: Record) -> Stance:
    """Against if adversaries reach further than in the null, for if less far, else silent."""
    low, high = bounds(difference)
    if low > JSD_MARGIN:
        return "against"
    return "for" if high < -JSD_MARGIN else "silent"
