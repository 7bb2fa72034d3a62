"""Saliency of a self-attentive classifier: rollout and values in attention's place, the rest as ever."""

import jax
import numpy as np
import pytest

from attn_jax import rng as streams
from attn_jax.analyses.observe import observe
from attn_jax.analyses.saliency import LAYERED, METHODS, saliency
from attn_jax.errors import UserError
from attn_jax.models.bert import Bert, BertSizes
from tests.models.families import MODELS, WORDS, T, batch, params_of, row

RNG = streams.root(0)
MODEL = Bert(BertSizes(WORDS, width=4, layers=2, heads=2, inner=4, places=T, epsilon=1e-6), 3, separator=3)
METHODS_HERE = LAYERED | {name: METHODS[name] for name in ("gradient_l2", "occlusion_signed")}


@pytest.fixture(scope="module")
def seen():
    rows = batch()
    params = MODEL.init_params(jax.random.key(0), row(rows, 3))
    evidence = observe(MODEL, params, rows, RNG)
    return params, rows, evidence, jax.device_get(saliency(MODEL, params, rows, evidence, RNG, METHODS_HERE))


def test_every_method_scores_the_tokens_that_may_be_looked_at(seen):
    _, rows, _, found = seen
    for name, scores in found.items():
        assert scores.shape == rows.ids.shape, name
        assert np.isfinite(scores).all(), name
        np.testing.assert_array_equal(scores[~rows.attendable], 0, err_msg=name)
        assert np.abs(scores[3]).max() > 0, name


def test_rollout_and_values_are_those_of_the_models_own_attention(seen):
    params, rows, _, found = seen
    example = row(rows, 3)
    alphas = jax.jit(MODEL.attentions)(params, example)
    first, last = (np.asarray(alphas[site]) for site in MODEL.sites)
    eye = np.eye(T)
    rolled = (last.mean(0) + eye) / 2 @ (first.mean(0) + eye) / 2
    inside = np.asarray(rows.attendable[3])
    np.testing.assert_allclose(found["rollout"][3][inside], rolled[0][inside], rtol=1e-4)
    values = MODEL.encode(params, MODEL.embed(params, example), site="enc/1").carry.look.values
    kernel = np.asarray(params["maps_1"]["output"]["kernel"]).reshape(2, 2, 4)
    added = sum(last[n, 0][:, None] * (np.asarray(values)[n] @ kernel[n]) for n in range(2))
    np.testing.assert_allclose(
        found["value_weighted"][3][inside], np.linalg.norm(added, axis=-1)[inside], rtol=1e-4
    )


@pytest.mark.parametrize(("name", "words"), [("attention", "put rollout in its place"), ("lrp", "no rule")])
def test_what_has_no_meaning_is_refused(seen, name, words):
    params, rows, evidence, _ = seen
    with pytest.raises(UserError, match=words):
        saliency(MODEL, params, rows, evidence, RNG, {name: METHODS[name]})


@pytest.mark.parametrize("name", LAYERED)
def test_one_attention_is_not_rolled_out(name):
    model, rows = MODELS["average-additive"], batch()
    evidence = observe(model, params_of(model), rows, RNG)
    with pytest.raises(UserError, match="use `attention`"):
        saliency(model, params_of(model), rows, evidence, RNG, {name: LAYERED[name]})
