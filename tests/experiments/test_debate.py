"""The debate on a corpus of one's own: tests one by one, kept, resumed; wrong names in one sentence."""

import json
import random

import jax
import numpy as np
import polars as pl
import pytest

from attn_jax.errors import UserError
from attn_jax.models import presets
from attn_jax.models.presets import Sizes
from attn_jax.results import records
from attn_jax.results.comparable import barred
from attn_jax.results.records import Record
from experiments import subject
from experiments.debate import main
from experiments.questions import TESTS, guided
from experiments.request import Request
from experiments.trained import buckets_of, first_weights
from tests import golden

ASKED = "uniform,seeds,adversary,guided,erasure,manipulation,diversity"  # the trial has tests of its own
WORDS = ("the", "a", "good", "bad", "film", "was", "and")
SMALL = {"encoder": "bilstm", "preset": "quick", "epochs": 1, "limit": 12}
TINY = Sizes(embedding=4, bilstm=2, filters=1, average=4)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """A corpus of one's own: few short texts, so that compiling is all that takes time."""
    path = tmp_path_factory.mktemp("data") / "own.jsonl"
    rng = random.Random(0)
    rows = [{"text": " ".join(rng.choices(WORDS, k=6)), "label": i % 2} for i in range(120)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


@pytest.fixture(scope="module")
def out(tmp_path_factory, corpus):
    folder = tmp_path_factory.mktemp("debate")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(presets, "PAPER", TINY)
        main(corpus, folder, tests=ASKED, **SMALL)
        yield folder


def statistics(folder):
    return {(r.variant, r.metric): r for r in records.read(folder / "records.csv")}


def test_records_are_the_goldens(out):
    golden.assert_golden("debate", out)


def test_the_tests_answer_their_questions(out):
    rows = json.loads((out / "debate.json").read_text())
    assert {row["test"] for row in rows} == set(ASKED.split(","))
    assert all(row["n"] and "attention on trial for 12 of" in row["caveat"] for row in rows)
    page = (out / "debate.html").read_text()
    assert "How often does erasing" in page
    assert all(f'id="{figure}-figure"' in page for figure in ("seeds", "frontier", "hidden", "erased"))
    assert "Learned rationales" in (out / "debate.md").read_text()


def test_the_shares_of_the_flip_table_sum_to_one_and_no_order_beats_the_exact_set(out):
    found = statistics(out)
    cells = ("both_flip", "only_top_flips", "only_other_flips", "neither_flips")
    assert sum(found["", f"single_{cell}_share"].value for cell in cells) == pytest.approx(1)
    for order in ("attention", "gradient", "gradient_x_attention", "random"):
        assert found["", f"removed_{order}_regret_mean"].value >= 0


def test_the_adversary_without_strength_only_imitates_and_the_seeds_are_eight(out):
    found = statistics(out)
    assert found["adversary", "jsd_mean@0"].n == found["adversary", "jsd_mean"].n == 24
    assert "chosen on dev" in found["adversary", "jsd_mean"].caveat
    assert 0 <= found["adversary", "seed_quantile_mean"].value <= 1
    assert pl.read_parquet(out / "tests" / "seeds.parquet")["other"].n_unique() == 8


def test_a_test_that_is_over_is_not_asked_again_and_others_join_it(out, corpus):
    kept = out / "tests" / "erasure.csv"
    before, records_before = kept.stat().st_mtime_ns, (out / "records.csv").read_bytes()
    main(corpus, out, tests="erasure", **SMALL)
    assert kept.stat().st_mtime_ns == before
    assert (out / "records.csv").read_bytes() == records_before


def test_a_guide_is_the_attention_of_the_model(corpus):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(presets, "PAPER", TINY)
        found = subject.loaded(Request(corpus, preset="quick"))
        cell = subject.cell(found, "bilstm", "additive")
    params = jax.tree.map(lambda a: a[0], first_weights(cell))
    text = guided.with_attention(cell, params, found.corpus.dev[:1])[0]
    example = jax.tree.map(lambda a: a[0], buckets_of(cell, [text])[0].rows)
    np.testing.assert_allclose(example.given, cell.model.evidence(params, example).alpha, atol=1e-6)


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


def test_training_on_a_part_says_so_in_every_record(corpus):
    found = subject.loaded(Request(corpus, train_limit=20))
    assert len(found.corpus.train) == 20
    assert "trained on a part: 20 of" in subject.caveat(found)
    assert barred(Record(metric="f1", value=0.5, caveat=subject.caveat(found)))
