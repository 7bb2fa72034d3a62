"""The comparison of methods and the checks of them: columns, planted answers, laws."""

import itertools

import jax
import numpy as np
import pytest

from attn_jax import rng as streams
from attn_jax.analyses.comparison import SHUFFLED, Comparison, compared
from attn_jax.analyses.saliency import METHODS
from attn_jax.analyses.saliency.integrated_gradients import IntegratedGradients
from attn_jax.analyses.sanity import kept, randomised, shifted
from attn_jax.errors import UserError
from tests.models.families import MODELS, batch, params_of

RNG = streams.root(0)
MODEL = MODELS["average-additive"]
WAYS = (("attention", METHODS["attention"]), ("way", IntegratedGradients("live", steps=8)))


def planted(case):
    return case.example.rationale.astype("float32")


@pytest.fixture(scope="module")
def columns():
    how = Comparison((*WAYS, ("planted", planted)), ("delete", "renormalise"), share=0.2)
    return jax.device_get(dict(compared(MODEL, params_of(MODEL), batch(), RNG, how)))


def test_every_method_and_pair_has_its_columns(columns):
    names = ("attention", "planted", "way", SHUFFLED)  # in the order of the alphabet, the null last
    for name in names:
        assert f"aopc_normalised_sufficiency/{name}" in columns
        assert f"aopc_sufficiency@renormalise/{name}" in columns
        assert columns[f"iou_f1/{name}"].shape == (4,)
    for first, second in itertools.combinations(names, 2):
        assert np.isfinite(columns[f"overlap/{first}/{second}"][1:]).all()
    assert f"tau/{SHUFFLED}/attention" not in columns
    np.testing.assert_array_equal(columns["length"], [0, 1, 3, 5])


def test_the_planted_tokens_are_found_by_their_own_method_alone(columns):
    np.testing.assert_allclose(columns["auprc/planted"][1:], 1)
    np.testing.assert_allclose(columns["token_f1/planted"][1:], 1)
    assert np.isnan(columns["auprc/planted"][0])
    assert (columns["auprc/attention"][1:] <= 1).all()


def test_the_residual_is_what_is_missing_of_the_change(columns):
    total = columns["score/way"].sum(-1)
    np.testing.assert_allclose(columns["residual/way"], total - columns["change/way"], atol=1e-6)
    assert (np.abs(columns["change/way"][1:]) > 1e-3).all()


CHECKED = {name: METHODS[name] for name in ("attention", "gradient_l2", "gradient_x_input")}


def test_a_shift_that_the_model_takes_back_moves_only_what_multiplies_by_the_input():
    params = params_of(MODEL)
    found = jax.device_get(kept(MODEL, params, {"moved": shifted(MODEL, params)}, batch(), RNG, CHECKED))
    np.testing.assert_allclose(found["moved/tvd"], 0, atol=1e-5)
    for name in ("attention", "gradient_l2"):
        np.testing.assert_allclose(found[f"moved/{name}"][2:], 1, err_msg=name)
    assert found["moved/gradient_x_input"][2:].min() < 1


def test_weights_drawn_anew_give_another_model():
    params = params_of(MODEL)
    other = randomised(params, params_of(MODEL, seed=7))
    assert other["embedding"] is params["embedding"]
    found = jax.device_get(kept(MODEL, params, {"other": other}, batch(), RNG, CHECKED))
    assert found["other/tvd"][1:].min() > 1e-3
    assert found["other/attention"][2:].min() < 1


def test_word_vectors_of_a_question_are_kept_too():
    model = MODELS["released-pair-bilstm-additive"]
    params, fresh = params_of(model), params_of(model, seed=7)
    other = randomised(params, fresh)
    assert other.keys() == params.keys()
    for name in params:
        assert other[name] is (params if name in ("embedding", "question_embedding") else fresh)[name]


def test_a_window_cannot_take_a_shift_back():
    with pytest.raises(UserError, match="one token at a time"):
        shifted(MODELS["cnn-additive"], {})
