"""BLEU from counts a sentence is sacrebleu's own, also where an order has no match; changes are paired."""

import numpy as np
import polars as pl
import pytest
import sacrebleu

from attn_jax.errors import UserError
from attn_jax.results import bleu, translations
from attn_jax.results.vashishth import Cell

REFERENCES = [
    "Ein Mann mit einem Hut.",
    "Zwei Hunde laufen am Strand entlang.",
    "Eine Frau liest ein Buch im Park.",
]
GOOD = ["Ein Mann mit einem roten Hut.", "Zwei Hunde laufen am Strand.", "Eine Frau liest ein Buch im Park."]
POOR = ["Ein Mann", "Hunde Zwei am laufen", "liest Park ein"]
CELL = Cell("multi30k", "luong", "translation", "c")
WRONG = ["xx yy", "zz", "qq rr ss"]


@pytest.mark.parametrize("written", [GOOD, POOR, WRONG, REFERENCES], ids=["good", "poor", "wrong", "same"])
def test_a_corpus_scores_as_sacrebleu_says(written):
    means = bleu.numbers(written, REFERENCES).mean(0)
    expected = sacrebleu.corpus_bleu(written, [REFERENCES]).score
    assert bleu.of_means(3)(means) == pytest.approx(expected, abs=1e-6)


def test_the_score_is_vectorised_over_resamples():
    counts = bleu.numbers(GOOD, REFERENCES)
    draws = np.random.default_rng(0).integers(0, 3, (5, 3))
    found = bleu.of_means(3)(counts[draws].mean(1))
    for row, value in zip(draws, found, strict=True):
        texts, others = [GOOD[i] for i in row], [REFERENCES[i] for i in row]
        assert value == pytest.approx(sacrebleu.corpus_bleu(texts, [others]).score, abs=1e-6)


def test_the_signature_names_case_tokens_and_version():
    assert "case:mixed" in bleu.signature()
    assert f"version:{sacrebleu.__version__}" in bleu.signature()


def frame():
    return pl.DataFrame(
        {
            "run": ["multi30k-luong"] * 3,
            "seed": [0] * 3,
            "id": ["a", "b", "c"],
            "source": ["s"] * 3,
            "reference": REFERENCES,
            "natural": GOOD,
            "written/beam": REFERENCES,
            "written/permute_infer": POOR,
            "written/beam_permute_infer": POOR,
        }
    )


def test_records_carry_the_published_keys_and_the_signature():
    found = {(r.paper, r.variant, r.metric): r for r in translations.records_of(frame(), CELL)}
    base = found["vashishth_2019", "", "bleu"]
    assert base.key()[:5] == ("vashishth_2019", "table3", "multi30k", "", "luong")
    assert base.value == pytest.approx(sacrebleu.corpus_bleu(GOOD, [REFERENCES]).score)
    assert bleu.signature() in base.caveat
    change = found["vashishth_2019", "permute_infer", "bleu_change"]
    assert change.value == pytest.approx(sacrebleu.corpus_bleu(POOR, [REFERENCES]).score - base.value)
    assert found["attn_jax", "beam", "bleu"].value == pytest.approx(100)
    # Counted from beam search under the model's own attention, which is right throughout.
    by_beam = found["attn_jax", "beam_permute_infer", "bleu_change"]
    assert by_beam.value == pytest.approx(change.value + base.value - 100)


def test_translations_come_back_and_a_stranger_is_named(tmp_path):
    path = tmp_path / "translations.parquet"
    translations.write(path, frame())
    assert translations.read(path).equals(frame())
    with pytest.raises(UserError, match="reference"):
        translations.write(path, frame().drop("reference"))
