"""Two models on the same instances: the difference is a plain one, and its interval its own."""

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import f1_score

from attn_jax.results import claims, pairing, tutek_snajder
from attn_jax.results.tutek_snajder import Cell
from tests.results import answers, regularised

TYING = Cell("sst", "additive", "tying")
FRAME, OTHER = regularised.make(n=60), regularised.make(n=60, shift=0.6)


def made(frame=FRAME, beside=OTHER):
    return {record.metric: record for record in pairing.records_of(frame, beside, TYING, "base")}


def f1(frame, seed, column):
    part = frame.filter(pl.col("seed") == seed)
    return 100 * f1_score(part["gold"].to_numpy(), part[column].to_numpy())


def test_differences_are_scikit_learns_in_percent():
    found = made()
    trained = [f1(FRAME, seed, "prediction") - f1(OTHER, seed, "prediction") for seed in range(3)]
    assert found["f1_trained_minus_base"].value == pytest.approx(np.mean(trained))
    assert found["f1_trained_minus_base"].std == pytest.approx(np.std(trained, ddof=1))
    for name in ("uniform", "permuted"):
        column = f"prediction_{name}"
        drops = [f1(FRAME, seed, column) - f1(OTHER, seed, column) - trained[seed] for seed in range(3)]
        assert found[f"f1_drop_{name}_minus_base"].value == pytest.approx(np.mean(drops))


def test_each_record_is_of_our_own_and_says_whose_it_is():
    record = made()["f1_drop_uniform_minus_base"]
    assert (record.paper, record.table, record.variant) == ("attn_jax", "", "tying")
    assert (record.run, record.n, record.seeds) == ("sst-bilstm-additive-tying-minus-base", 180, 3)


def test_a_model_is_no_better_than_itself_and_that_is_certain():
    for record in made(FRAME, FRAME).values():
        assert (record.value, record.ci_low, record.ci_high) == (0.0, 0.0, 0.0)


def test_what_is_hard_for_both_cancels():
    def wrong_in(first, *others):
        places = [f"test-{i}" for i in (*range(0, 60, first), *others)]
        wrong = pl.col("id").is_in(places)
        return FRAME.with_columns(prediction=pl.when(wrong).then(1 - pl.col("gold")).otherwise("gold"))

    frames = wrong_in(3), wrong_in(3, 1)
    alone = [tutek_snajder.performance(frame)["f1_trained"] for frame in frames]
    record = made(*frames)["f1_trained_minus_base"]
    apart = np.hypot(*(summary.ci_high - summary.ci_low for summary in alone))
    assert record.value == pytest.approx(alone[0].value - alone[1].value)
    assert 0 < record.ci_high - record.ci_low < apart / 4


def test_only_seeds_and_instances_that_both_have_count():
    part = OTHER.filter((pl.col("seed") < 2) & (pl.col("id") != "test-7"))
    record = made(beside=part)["f1_trained_minus_base"]
    assert (record.seeds, record.n) == (2, 118)
    assert made(beside=OTHER.with_columns(id=pl.lit("elsewhere"))) == {}


def test_a_claim_is_decided_on_the_paired_difference_where_there_is_one():
    wide = answers.only(
        answers.records(tutek_snajder.PAPER), dataset="sst", attention="additive", encoder="bilstm"
    )
    wide = [
        *answers.changed(answers.only(wide, metric="f1_trained", variant="base"), ci_low=70.0, ci_high=95.0),
        *answers.changed(answers.only(wide, metric="f1_trained", variant="tying"), ci_low=70.0, ci_high=95.0),
    ]
    (record,) = [record for name, record in made(FRAME, FRAME).items() if name == "f1_trained_minus_base"]
    assert verdict(wide) == "undecided"
    assert verdict([*wide, record]) == "holds"


def verdict(found):
    (judgements,) = [rows for claim, rows in claims.judged(found) if claim.name == "keep-f1"]
    (own,) = [row.ours for row in judgements if row.subject[:4] == ("sst", "bilstm", "additive", "tying")]
    return own.verdict
