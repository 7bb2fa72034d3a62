"""Statistics of compared methods: the ceiling by scipy, the null and the lengths by hand."""

import numpy as np
import polars as pl
import pytest
import scipy.stats

from attn_jax.results import comparison


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    rows = []
    for seed in (0, 1):
        for i in range(6):
            length = 4 if i < 3 else 12
            scores = rng.normal(size=(2, length + 2))
            rows.append(
                {
                    "seed": seed,
                    "id": f"text {i}",
                    "mask": [False, *[True] * length, False],
                    "length": length,
                    "score/attention": scores[0].tolist(),
                    "score/lrp": scores[1].tolist(),
                    "tau/attention/lrp": 0.1 * i,
                    "tau/lrp/shuffled": 0.0,
                    "aopc_sufficiency/attention": 0.3,
                    "aopc_sufficiency/lrp": 0.1,
                }
            )
    return pl.DataFrame(rows)


@pytest.fixture(scope="module")
def found(frame):
    return {name: summary for name, summary in comparison.statistics(frame, frame) if summary}


def test_the_ceiling_is_each_method_with_itself_under_another_seed(frame, found):
    taus = []
    for i in range(6):
        first, second = frame.filter(id=f"text {i}")["score/lrp"].to_list()
        taus.append(scipy.stats.kendalltau(np.abs(first[1:-1]), np.abs(second[1:-1])).statistic)
    assert found["tau_lrp_seeds_mean"].value == pytest.approx(np.mean(taus))


def test_agreement_is_also_read_at_equal_lengths(found):
    assert found["tau_attention_lrp_mean"].value == pytest.approx(0.25)
    assert found["tau_attention_lrp_mean@2-10"].value == pytest.approx(0.1)
    assert found["tau_attention_lrp_mean@11-20"].value == pytest.approx(0.4)
    assert found["tau_attention_lrp_mean@11-20"].n == 6
    assert found["tau_lrp_shuffled_mean"].value == 0


def test_differences_are_paired_and_what_is_not_there_is_left_out(found):
    assert found["aopc_sufficiency_attention_minus_lrp_mean"].value == pytest.approx(0.2)
    assert not any(name.startswith("plausible") for name in found)
