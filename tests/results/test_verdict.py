import dataclasses

import pytest

from attn_jax.results import facts, findings, jain_wallace, verdict
from attn_jax.results.facts import Facts
from attn_jax.results.records import Record
from tests.results import frames


def fact(metric: str, value: float, low: float | None = None, high: float | None = None, **fields) -> Record:
    return Record(metric=metric, value=value, ci_low=low, ci_high=high, **({"n": 1000, "seeds": 1} | fields))


def agreement(gradient: tuple, loo: tuple) -> findings.Finding:
    made = [fact("tau_gradient_mean", *gradient), fact("tau_loo_mean", *loo)]
    finding = findings.agreement(Facts(made))
    assert finding is not None
    return finding


@pytest.mark.parametrize(
    ("gradient", "loo", "stance"),
    [
        ((0.60, 0.55, 0.65), (0.58, 0.52, 0.63), "for"),
        ((0.60, 0.55, 0.65), (0.52, 0.48, 0.56), "mixed"),  # one interval reaches below the threshold
        ((0.10, 0.05, 0.15), (0.05, 0.00, 0.10), "against"),
        ((0.10, 0.05, 0.15), (0.18, 0.15, 0.21), "mixed"),
    ],
)
def test_agreement_takes_a_side_only_with_its_whole_interval(gradient, loo, stance):
    assert agreement(gradient, loo).stance == stance


def test_the_numbers_stand_in_the_sentence():
    text = agreement((0.40, 0.38, 0.42), (0.301, 0.28, 0.32)).text.replace("\u00a0", " ")
    assert "0.40 [0.38, 0.42] with gradients" in text
    assert "0.30 [0.28, 0.32] with the effect of deleting" in text


@pytest.mark.parametrize(
    ("difference", "stance"),
    [
        ((0.05, 0.03, 0.07), "against"),
        ((-0.05, -0.07, -0.03), "for"),
        ((0.00, -0.01, 0.01), "silent"),
        ((0.03, 0.01, 0.05), "silent"),
    ],
)
def test_adversaries_are_judged_against_the_null_however_large(difference, stance):
    made = [
        fact("exact_jsd_mean", 0.69, 0.68, 0.69),
        fact("null_jsd_mean", 0.64),
        fact("exact_minus_null_jsd_mean", *difference),
    ]
    finding = findings.adversary(Facts(made))
    assert finding is not None
    assert finding.stance == stance
    assert findings.adversary(Facts(made[:2])) is None


def test_bounds_are_called_bounds_where_they_leave_a_gap():
    made = [
        fact("exact_jsd_mean", 0.60, 0.58, 0.62),
        fact("exact_upper_bound_mean", 0.65),
        fact("null_jsd_mean", 0.60),
        fact("exact_minus_null_jsd_mean", 0.0, -0.01, 0.01),
    ]
    finding = findings.adversary(Facts(made))
    assert finding is not None
    assert "certainly no more than 0.65" in finding.text
    assert "exact optimisation" not in finding.text


def test_a_model_that_has_not_learned_is_said_so():
    good = [fact("accuracy", 0.9, 0.88, 0.92), fact("majority_share", 0.6)]
    poor = [fact("accuracy", 0.61, 0.58, 0.64), fact("majority_share", 0.6)]
    for made, warned in ((good, False), (poor, True)):
        finding = findings.performance(Facts(made))
        assert finding is not None
        assert ("hardly learned" in finding.text) == warned
        assert finding.stance == "context"


@pytest.mark.parametrize(
    ("attention", "gain", "stance"),
    [
        ((0.9, 0.85, 0.95), (0.8, 0.7, 0.9), "for"),
        ((0.5, 0.4, 0.6), (0.4, 0.3, 0.5), "mixed"),
        ((0.1, 0.08, 0.12), (0.01, -0.01, 0.03), "against"),
    ],
)
def test_planted_words(attention, gain, stance):
    made = [
        fact("auprc_attention_mean", *attention),
        fact("auprc_attention_minus_base_rate_mean", *gain),
        fact("auprc_base_rate_mean", 0.1),
    ]
    finding = findings.planted(Facts(made))
    assert finding is not None
    assert finding.stance == stance


def test_permutation_sides():
    for value, stance in ((0.2, "for"), (0.07, "mixed"), (0.01, "against")):
        moved = fact("permutation_median_tvd_mean", value, value - 0.005, value + 0.005)
        finding = findings.permutation(Facts([moved]))
        assert finding is not None
        assert finding.stance == stance


def test_the_headline_counts_the_sides():
    moved = fact("permutation_median_tvd_mean", 0.2, 0.19, 0.21)
    still = fact("permutation_median_tvd_mean", 0.01, 0.0, 0.02)
    taus = [fact("tau_gradient_mean", 0.1, 0.05, 0.15), fact("tau_loo_mean", 0.1, 0.05, 0.15)]
    assert verdict.of([]).headline == "No test of attention was run."
    assert verdict.of([moved]).headline.startswith("Attention passes every test")
    assert verdict.of([still, *taus]).headline.startswith("Attention fails every test")
    both = verdict.of([moved, *taus]).headline
    assert both.startswith("The tests disagree")
    assert both.endswith("(tests for it: 1, against it: 1, undecided: 0).")


def test_a_whole_run_has_every_finding_and_only_our_own_statistics_over_all_classes_count():
    made = jain_wallace.records_of(frames.make(), jain_wallace.Cell("sst", "bilstm", "additive"))
    assert len(verdict.of(made).findings) == 6
    theirs = [dataclasses.replace(r, paper="jain_wallace_2019") for r in made]
    assert verdict.of(theirs).findings == ()


@pytest.mark.parametrize(
    ("share", "text"), [(0.424, "42 %"), (0.9996, "over 99 %"), (1.0, "100 %"), (0.001, "under 1 %")]
)
def test_percentages_do_not_round_to_all_or_none(share: float, text: str):
    assert facts.percent(fact("x", share)).replace("\u00a0", " ") == text
    assert facts.decimal(-0.001) == "0.00"


def test_records_that_do_not_say_how_many_are_told_too():
    made = [Record(metric="accuracy", value=0.5), Record(metric="tau_gradient_undefined_count", value=3.0)]
    made += [Record(metric=f"tau_{name}_mean", value=0.3) for name in ("gradient", "loo")]
    first, second = verdict.of(made).findings
    assert "of the test instances" in first.text
    assert "undefined for 3 instances" in second.text
