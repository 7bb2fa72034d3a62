"""The command on generated texts: tables, figures, resumed runs, and what it says when asked for nonsense."""

import dataclasses

import polars as pl
import pytest

from attn_jax.data import specs
from attn_jax.errors import UserError
from attn_jax.models import attentions
from attn_jax.results import config, examples, fidelity, jsonl, records
from attn_jax.results.vashishth import PAPER, VARIANTS
from experiments import altered, subject
from experiments.probe import Probe
from experiments.request import Altering, Request
from experiments.vashishth import main
from tests import golden

SMALL = {"preset": "quick", "epochs": 1}
BAHDANAU = SMALL | {"seeds": 2, "train": "random"}


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("vashishth")
    main("reviews", folder, **BAHDANAU)
    main("reviews", folder, model="han", alter="permute", train="", **SMALL)
    return folder


def made(folder):
    return {(r.paper, r.variant, r.metric): r for r in records.read(folder / "records.csv")}


def test_records_are_the_goldens(out):
    golden.assert_golden("vashishth", out / "reviews-bahdanau")
    # After one epoch no weight of this model moves its output by more than 1e-7: their order is rounding.
    golden.assert_golden(
        "vashishth_han", out / "reviews-han", noise=("removed_delta_alpha_delta_js_spearman",)
    )


def test_a_run_has_every_row_of_the_table(out):
    found = made(out / "reviews-bahdanau")
    assert found[PAPER, "", "accuracy"].seeds == 2
    for variant in set(VARIANTS) - {"uniform_train_infer"}:
        record = found[PAPER, variant, "accuracy_change"]
        assert (record.table, record.dataset, record.attention, record.n) == (
            "table1",
            "reviews",
            "bahdanau",
            200,
        )
        assert "preset quick" in record.caveat
    assert found["attn_jax", "", "gating_gap_mean"].value < 1e-5


def test_a_documents_levels_stand_alone_too(out):
    found = made(out / "reviews-han")
    for site in ("word", "sentence"):
        assert ("attn_jax", f"permute_infer_{site}", "accuracy_change") in found
    frame = examples.read(out / "reviews-han" / "examples.parquet")
    sums = frame.select(pl.col("alpha").list.sum(), pl.col("score/word_alpha").list.sum())
    assert sums["alpha"].is_between(0.999, 1.001).all()
    assert (sums["score/word_alpha"] > 0.999).all()
    assert "<SOS>" not in frame["tokens"].explode()


def test_every_training_leaves_its_history(out):
    rows = jsonl.read(out / "reviews-bahdanau" / "metrics.jsonl")
    assert [(row["attention"], row["seed"]) for row in rows] == [
        (name, seed) for name in ("natural", "random") for seed in (0, 1)
    ]


def test_the_page_and_the_other_commands_accept_the_runs(out):
    page = (out / "index.html").read_text(encoding="utf-8")
    for words in ("Permuted attention: reviews-han", "Further alterations"):
        assert words in page
    found = [r for path in sorted(out.rglob("records.csv")) for r in records.read(path)]
    assert all(cell.verdict == "not run" for cell in fidelity.cells(found, PAPER))


def test_the_same_command_does_nothing_again_and_another_is_refused(out):
    path = out / "reviews-bahdanau" / "records.csv"
    before = path.read_bytes(), path.stat().st_mtime_ns
    main("reviews", out, **BAHDANAU)
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    with pytest.raises(UserError, match="another configuration"):
        main("reviews", out, **(BAHDANAU | {"seeds": 1}))


def test_a_stopped_run_goes_on_from_its_trainings(out):
    folder = out / "reviews-bahdanau"
    before = (folder / "records.csv").read_bytes(), (folder / "metrics.jsonl").read_bytes()
    (folder / "records.csv").unlink()
    main("reviews", out, **BAHDANAU)
    assert ((folder / "records.csv").read_bytes(), (folder / "metrics.jsonl").read_bytes()) == before


def test_alterations_become_modules_at_the_attention_fields(tmp_path):
    found = subject.loaded(Request("reviews", preset="quick"), "sentences")
    altering = Altering(tmp_path, ("uniform",), ("uniform", "permute"), levels=True)
    cell = altered.cell(found, "han", altering)
    assert cell.trained_with == (
        *("uniform", "permute", "uniform_word", "uniform_sentence"),
        *("permute_word", "permute_sentence"),
    )
    both, words = cell.under("permute").model, cell.under("uniform_word").model
    assert both.word_attention == both.sentence_attention == attentions.Permuted(attentions.Additive())
    assert words.word_attention == attentions.Uniform()
    assert words.sentence_attention == attentions.Additive()


def test_cells_have_the_papers_sizes(tmp_path):
    altering = Altering(tmp_path, (), ())
    small = subject.loaded(Request("babi1", preset="quick"))
    stories = dataclasses.replace(small, request=Request("babi1"))
    cell = altered.cell(stories, "rocktaschel", altering)
    assert (cell.model.embedding.features, cell.model.encoder.hidden) == (50, 30)
    assert cell.train.epochs == 100
    assert config.build(cell.settings(), device="cpu", command=["x"])
    small = subject.loaded(Request("reviews", preset="quick"), "sentences")
    reviews = dataclasses.replace(small, request=Request("reviews"))
    cell = altered.cell(reviews, "bahdanau", altering)
    assert (cell.model.embedding.features, cell.model.encoder.hidden) == (300, 128)
    spec = specs.get("imdb", "sentences")
    assert "punctuation kept" in altered._caveat(
        dataclasses.replace(small, request=Request("imdb"), spec=spec)
    )
    assert "punctuation" not in altered._caveat(reviews)
    han = altered.cell(reviews, "han", altering).model
    assert (han.embedding.features, han.word_encoder.hidden, han.sentence_encoder.hidden) == (200, 50, 50)


def test_a_size_of_its_own_is_named_and_answers_no_published_cell(tmp_path):
    found = subject.loaded(Request("babi1", preset="quick"))
    cell = altered.cell(found, "bahdanau", Altering(tmp_path, (), (), hidden=7))
    assert (cell.model.encoder.hidden, cell.key.name) == (7, "babi1_simulated-bahdanau_7")
    assert cell.key.printed("accuracy") == {"metric": "accuracy", "variant": ""}
    other = dataclasses.replace(found, request=Request("babi1", preset="quick", probe=Probe("l2", l2=0.1)))
    both = altered.cell(other, "bahdanau", Altering(tmp_path, (), (), hidden=7))
    assert (both.key.model, both.key.probe, both.train.optimiser.l2) == ("bahdanau_7_l2", True, 0.1)
    assert "a probe: l2" in both.key.caveat


def test_filled_texts_are_equally_long_and_nothing_is_a_word():
    plain = subject.loaded(Request("reviews", preset="quick"))
    filled = subject.loaded(Request("reviews", preset="quick", probe=Probe("no_mask", fill=40)))
    for split, texts in filled.corpus.splits():
        for before, after in zip(getattr(plain.corpus, split), texts, strict=True):
            assert after.tokens[: len(before.tokens)] == before.tokens
            assert len(after.tokens) == max(40, len(before.tokens))
            assert set(after.tokens[len(before.tokens) :]) <= {subject.FILLER}
    assert subject.FILLER in filled.vocabulary.words
    assert subject.FILLER not in plain.vocabulary.words
    assert "filled to 40 words" in filled.corpus.caveat
    request = Request("reviews", preset="quick", probe=Probe("no_mask", fill=60))
    documents = subject.loaded(request, "sentences").corpus.train
    assert documents[0].tokens[-10:].count(".") == 1  # sentences of nothing


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"model": "glue"}, "no model called 'glue'"),
        ({"alter": "sideways"}, "no alteration called 'sideways'"),
        ({"model": "rocktaschel"}, "choose one of bahdanau, han, bert"),
        ({"dataset": "babi1", "model": "han"}, "not for han"),
        (
            {"dataset": "multi30k", "model": "han"},
            "bahdanau, luong, bahdanau_blank, transformer",
        ),
        ({"hidden": 0}, "--hidden 0: at least 1"),
        (
            {"dataset": "multi30k", "hidden": 8},
            "--hidden and --probe are for classifiers: leave them",
        ),
        ({"dataset": "multi30k", "probe": Probe("this")}, "--probe are for classifiers"),
    ],
)
def test_nonsense_is_one_sentence(tmp_path, options, words):
    with pytest.raises(UserError, match=words):
        main(**{"dataset": "reviews", "out": tmp_path, "preset": "quick", **options})
