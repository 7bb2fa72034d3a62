"""The debate on generated reviews: tests one by one, kept, resumed; wrong names in one sentence."""

import json

import pytest

from attn_jax.errors import UserError
from attn_jax.results import records
from experiments.debate import main
from experiments.questions import TESTS

SMALL = {"encoder": "average", "preset": "quick", "epochs": 1, "limit": 40}


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("debate")
    main("reviews", folder, tests="erasure", **SMALL)
    return folder


def statistics(folder):
    return {(r.variant, r.metric): r for r in records.read(folder / "records.csv")}


def test_one_test_answers_its_questions(out):
    rows = json.loads((out / "debate.json").read_text())
    assert {row["test"] for row in rows} == {"erasure"}
    assert all(row["n"] and "attention on trial for 40 of 100" in row["caveat"] for row in rows)
    assert "How often does erasing" in (out / "debate.html").read_text()


def test_the_shares_of_the_flip_table_sum_to_one_and_no_order_beats_the_exact_set(out):
    found = statistics(out)
    cells = ("both_flip", "only_top_flips", "only_other_flips", "neither_flips")
    assert sum(found["", f"single_{cell}_share"].value for cell in cells) == pytest.approx(1)
    for order in ("attention", "gradient", "gradient_x_attention", "random"):
        assert found["", f"removed_{order}_regret_mean"].value >= 0


def test_a_test_that_is_over_is_not_asked_again(out):
    kept = out / "tests" / "erasure.csv"
    before = kept.stat().st_mtime_ns
    main("reviews", out, tests="erasure", **SMALL)
    assert kept.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"tests": "guesses"}, f"choose among {', '.join(TESTS)}"),
        ({"encoder": "gru"}, "no encoder called 'gru'"),
        ({"train_limit": 3}, "--train-limit 3"),
        ({"epochs": 0}, "--epochs 0"),
    ],
)
def test_wrong_input_is_one_sentence(tmp_path, options, words):
    with pytest.raises(UserError, match=words):
        main("reviews", tmp_path, **(SMALL | options))
