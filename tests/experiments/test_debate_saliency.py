"""The saliency questions of the debate, whole, on generated reviews."""

import json

import pytest

from attn_jax.results import records
from experiments.debate import main

pytestmark = pytest.mark.slow  # trains six models and compiles every method


def test_saliency_sanity_and_retraining_answer_their_questions(tmp_path):
    main(
        "reviews",
        tmp_path,
        tests="saliency,sanity,roar",
        encoder="average",
        preset="quick",
        epochs=1,
        limit=20,
    )
    found = {record.metric: record for record in records.read(tmp_path / "records.csv")}
    assert found["residual_integrated_gradients_complete_share"].value > 0.9
    assert found["shifted_output_tvd_mean"].value < 1e-4
    assert found["shifted_attention_tau_mean"].value > 0.99
    assert "tau_lrp_seeds_mean" in found
    assert 0 <= found["roar_attention_accuracy"].value <= 1
    rows = json.loads((tmp_path / "debate.json").read_text())
    assert {row["test"] for row in rows} == {"saliency", "sanity", "roar"}
    assert len(rows) == 8
