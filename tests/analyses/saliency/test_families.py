"""Saliency of documents and of translations: shapes, masks, and the same numbers as by hand."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from attn_jax import outputs
from attn_jax import rng as streams
from attn_jax.analyses.observe import observe
from attn_jax.analyses.saliency import METHODS, saliency
from attn_jax.analyses.saliency.integrated_gradients import IntegratedGradients
from attn_jax.analyses.saliency.smoothgrad import SmoothGrad
from attn_jax.errors import UserError
from tests.models import document_family, test_seq2seq

RNG = streams.root(0)
# Every kind of way to the scores; few steps, as compilation is what these cost.
SOME = {
    "attention": METHODS["attention"],
    "gradient_l2": METHODS["gradient_l2"],
    "live": IntegratedGradients("live", steps=2),
    "smoothgrad": SmoothGrad(2),
    "occlusion_delete": METHODS["occlusion_delete"],
    "occlusion_signed": METHODS["occlusion_signed"],
}


@pytest.fixture(scope="module")
def document():
    model, rows = document_family.MODELS["additive"], document_family.documents()
    params = document_family.params_of(model)
    evidence = observe(model, params, rows, streams.stream(RNG, "attention"))
    methods = SOME | {"lrp": METHODS["lrp"]}
    return model, params, rows, jax.device_get(saliency(model, params, rows, evidence, RNG, methods))


def test_a_document_has_one_score_a_word(document):
    _, _, rows, found = document
    for name, scores in found.items():
        assert scores.shape == rows.ids.shape, name
        assert np.isfinite(scores).all(), name
        np.testing.assert_array_equal(scores[~rows.attendable], 0, err_msg=name)
        assert np.abs(scores[3]).max() > 0, name


def test_a_documents_attention_sums_to_one(document):
    np.testing.assert_allclose(document[-1]["attention"].sum((1, 2)), [0, 1, 1, 1], atol=1e-5)


def test_a_word_of_a_document_is_occluded_by_hand(document):
    model, params, rows, found = document
    example = document_family.row(rows, 3)
    embedded = model.embed(params, example)

    @jax.jit
    def said(x):
        encoded = model.encode(params, embedded.replace(x=x))
        return outputs.probabilities(model.decode(params, encoded, model.attend(params, encoded)))

    before, after = said(embedded.x), said(embedded.x.at[1, 2].set(0.0))
    lost = (before - after)[int(before.argmax())]
    np.testing.assert_allclose(found["occlusion_signed"][3, 1, 2], lost, atol=1e-5)


@pytest.fixture(scope="module")
def translation():
    model, rows = test_seq2seq.MODELS["bahdanau"], test_seq2seq.batch()
    params = test_seq2seq.params_of("bahdanau")
    evidence = observe(model, params, rows, streams.stream(RNG, "attention"))
    methods = {name: SOME[name] for name in ("attention", "gradient_l2", "occlusion_delete")}
    scores = jax.device_get(saliency(model, params, rows, evidence, RNG, methods))
    return model, params, rows, evidence, scores


def test_a_translation_has_a_row_of_scores_for_each_word_it_writes(translation):
    *_, evidence, found = translation
    mask = np.asarray(evidence.encoded.mask)
    np.testing.assert_array_equal(found["attention"], evidence.alpha)
    for name, scores in found.items():
        assert scores.shape == mask.shape, name
        assert np.isfinite(scores).all(), name
        assert np.abs(scores[3]).max() > 0, name


def test_a_written_words_gradient_is_that_of_its_own_probability(translation):
    model, params, rows, evidence, found = translation
    example, word = test_seq2seq.row(rows, 3), 2
    embedded, alpha = model.embed(params, example), evidence.alpha[3]
    said = int(evidence.logits[3, word].argmax())

    def output(x):
        logits = model.decode(params, model.encode(params, embedded.replace(x=x)), alpha)
        return jax.nn.softmax(logits[word])[said]

    slope = jax.jit(jax.grad(output))(embedded.x)
    expected = jnp.where(example.attendable, jnp.linalg.norm(slope, axis=-1), 0.0)
    np.testing.assert_allclose(found["gradient_l2"][3, word], expected, rtol=1e-3, atol=1e-6)


def test_relevance_has_no_way_through_a_writer(translation):
    model, params, rows, evidence, _ = translation
    with pytest.raises(UserError, match="no rule for the decoder"):
        saliency(model, params, rows, evidence, RNG, {"lrp": METHODS["lrp"]})
