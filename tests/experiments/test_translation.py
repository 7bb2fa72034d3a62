"""The translation command on a small corpus of one's own making: whole, resumable, extended later."""

import pathlib

import numpy as np
import polars as pl
import pytest

from attn_jax.results import attention, examples, records, translations
from experiments import translation
from experiments.request import Altering, Request
from tests import golden

WORDS = {
    "a": "ein",
    "dog": "Hund",
    "cat": "Kater",
    "sees": "sieht",
    "red": "roter",
    "the": "der",
    "man": "Mann",
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data") / "multi30k"
    folder.mkdir()
    rng = np.random.default_rng(0)
    for stem, count in {"train": 60, "val": 8, "test_2016_flickr": 8}.items():
        lines = [rng.choice(list(WORDS), 5) for _ in range(count)]
        (folder / f"{stem}.en").write_text("".join(" ".join(line) + ".\n" for line in lines))
        (folder / f"{stem}.de").write_text(
            "".join(" ".join(WORDS[w] for w in line) + ".\n" for line in lines)
        )
    return folder.parent


def run(
    corpus: pathlib.Path,
    out: pathlib.Path,
    alter: tuple[str, ...],
    train: tuple[str, ...] = (),
    model="luong",
    epochs=1,
):
    request = Request("multi30k", corpus, preset="quick", epochs=epochs)
    return translation.run(request, model, Altering(out, alter, train))


def test_a_run_is_scored_and_can_be_extended(corpus, tmp_path):
    first = run(corpus, tmp_path, ("uniform",))
    frame = translations.read(first.path / "translations.parquet")
    assert translations.variants(frame) == ["beam", "uniform_infer", "beam_uniform_infer"]
    assert frame.height == 8
    weights = sorted(p.stat().st_mtime_ns for p in (first.path / "params").rglob("*"))
    again = run(corpus, tmp_path, ("uniform", "permute"))
    assert (
        sorted(p.stat().st_mtime_ns for p in (again.path / "params").rglob("*")) == weights
    )  # not trained anew
    longer = translations.read(again.path / "translations.parquet")
    assert longer.select(frame.columns).equals(frame)
    found = {(r.paper, r.variant, r.metric) for r in records.read(again.records)}
    assert {("vashishth_2019", v, "bleu_change") for v in ("permute_infer", "uniform_infer")} <= found
    assert pl.Series(longer["id"]).n_unique() == 8
    shown = attention.read(again.attention)
    assert set(shown["id"]) == set(longer["id"])
    for one in shown.iter_rows(named=True):
        np.testing.assert_allclose(attention.alpha(one).sum(-1), 1, atol=1e-4)
    assert ("attn_jax", "", "permutation_median_tvd_mean") in found
    shown = examples.read(again.examples)
    assert 0 < shown.height <= 8
    assert shown["alpha"].list.sum().is_between(0.999, 1.001).all()
    assert shown["permutation_median_tvd"].is_between(0, 1).all()
    assert (shown["gating_gap"] > 1e-5).any()  # the query counts: no gate of a word alone


def test_records_are_the_goldens(corpus, tmp_path):
    # So long that it translates without a fault: half-learned sentences would hang on rounding.
    learned = run(corpus, tmp_path, ("uniform",), epochs=400)
    golden.assert_golden(
        "vashishth_translation", learned.path, noise=("removed_delta_alpha_delta_js_spearman",)
    )


@pytest.mark.slow  # a further training, and a Transformer: a minute of compiling each
def test_trained_with_uniform_attention_and_a_transformer_by_layers(corpus, tmp_path):
    trained = run(corpus, tmp_path, (), ("uniform",))
    found = {(r.paper, r.variant, r.metric) for r in records.read(trained.records)}
    assert ("vashishth_2019", "uniform_train_infer", "bleu_change") in found
    layered = run(corpus, tmp_path, (), model="transformer")
    kept = {(r.table, r.variant) for r in records.read(layered.records) if r.metric == "bleu"}
    stacks = {f"permute_{name}_1" for name in ("encoder", "decoder", "across")}
    assert {("figure4", variant) for variant in ("", *stacks)} <= kept
