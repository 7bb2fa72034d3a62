"""Statistics of hidden attention and of diverse states on frames whose answers are known by hand."""

import polars as pl
import pytest

from attn_jax.data.word_classes import word_class
from attn_jax.results import manipulation, mohankumar


def hiding(mass, right, **more):
    frame = {"seed": [0, 0], "id": ["a", "b"], "gold": [1, 1], "prediction": right, "mass": mass}
    return pl.DataFrame(frame | {"share": [0.5, 1.0]} | more)


def test_only_instances_with_tokens_on_both_sides_count_for_the_mass():
    frames = {
        0.0: hiding([0.8, 1.0], [1, 1], least_mass=[0.1, 1.0], most_mass=[0.9, 1.0]),
        1.0: hiding([0.2, 1.0], [1, 0]),
    }
    found = dict(manipulation.statistics(frames))
    assert found["mass_mean@0"].value == pytest.approx(0.8)
    assert found["mass_mean@1"].value == pytest.approx(0.2)
    assert found["least_mass_mean"].value == pytest.approx(0.1)
    assert found["token_share_mean"].value == pytest.approx(0.5)
    assert found["accuracy_lost@1"].value == pytest.approx(0.5)


def erased(attention, random, flips=(True, True)):
    return pl.DataFrame(
        {
            "seed": [0, 0],
            "id": ["a", "b"],
            "gold": [0, 1],
            "prediction": [0, 0],
            "conicity": [0.25, 0.75],
            "tokens": [["<SOS>", "the", "film", "<EOS>"], ["<SOS>", ",", "1990s", "<EOS>"]],
            "mask": [[False, True, True, False]] * 2,
            "alpha": [[0.0, 0.25, 0.75, 0.0], [0.0, 0.5, 0.5, 0.0]],
            "attention_fraction": attention,
            "random_fraction": random,
            "attention_flips": flips,
            "random_flips": flips,
            "smallest_flips": flips,
        }
    )


def test_curves_and_attention_by_class_of_word():
    found = dict(mohankumar.statistics(erased([0.2, 0.6], [0.4, 0.6]), word_class))
    assert found["conicity_mean"].value == pytest.approx(0.5)
    assert found["attention_flipped_share@0.25"].value == pytest.approx(0.5)
    assert found["attention_flipped_share@0.75"].value == pytest.approx(1.0)
    assert found["attention_saves_mean"].value == pytest.approx(0.1)
    masses = {
        kind: found[f"attention_on_{kind}_mean"].value for kind in ("function", "content", "mark", "number")
    }
    assert masses == pytest.approx({"function": 0.125, "content": 0.375, "mark": 0.25, "number": 0.25})
    assert found["share_of_function_mean"].value == pytest.approx(0.25)


def test_savings_are_compared_where_both_models_flip():
    plain = erased([0.4, 0.1], [0.4, 0.9], flips=(True, False))
    assert mohankumar.saved_more(erased([0.1, 0.1], [0.4, 0.9]), plain).value == pytest.approx(0.3)
    assert mohankumar.saved_more(plain, erased([0.1, 0.1], [0.4, 0.9], flips=(False, True))) is None
