"""Analyses on documents: gradient and leave-one-out of each word, evidence at either site."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from attn_jax import divergences, outputs
from attn_jax.analyses.gradient import gradient
from attn_jax.analyses.leave_one_out import leave_one_out, without
from attn_jax.analyses.observe import observe
from tests.models.document_family import DOCUMENTS, MODELS, M, T, documents, params_of
from tests.models.families import row

RNG = jax.random.key(0)


def test_a_deleted_word_moves_up_only_its_own_sentence():
    example = row(documents(), 3)
    shorter = without(example, jnp.asarray(1 * T + 2))
    expected = np.asarray(example.ids).copy()
    expected[1] = [*expected[1, :2], *expected[1, 3:], 0]
    np.testing.assert_array_equal(shorter.ids, expected)
    np.testing.assert_array_equal(shorter.valid.sum(-1), DOCUMENTS[3] - [0, 1, 0, 0])


def test_leave_one_out_is_the_loop_over_shorter_documents():
    model, example = MODELS["additive"], row(documents(), 3)
    params = params_of(model)
    forward = jax.jit(lambda e: outputs.probabilities(model.forward(params, e)))
    logits = model.forward(params, example)
    found = jax.jit(lambda: leave_one_out(model, params, example, logits, RNG))()
    assert found.shape == (M, T)
    for m, t in np.ndindex(M, T):
        shorter = without(example, jnp.asarray(m * T + t))
        expected = divergences.tvd(forward(shorter), forward(example)) if example.valid[m, t] else 0.0
        np.testing.assert_allclose(found[m, t], expected, rtol=1e-4, atol=1e-6)
    assert found[np.asarray(example.valid)].min() > 0


def test_every_word_of_a_document_has_its_own_gradient():
    model, example = MODELS["additive"], row(documents(), 3)
    params = params_of(model)
    seen, embedded = model.evidence(params, example), model.embed(params, example)

    def output(x):
        encoded = model.encode(params, embedded.replace(x=x))
        return outputs.probabilities(model.decode(params, encoded, seen.alpha))[1]

    slope = np.where(example.valid[..., None], jax.jit(jax.grad(output))(embedded.x), 0)
    found = jax.jit(lambda: gradient(model, params, example, seen.alpha, seen.logits))()
    np.testing.assert_allclose(found.times_input, np.abs((slope * embedded.x).sum(-1)), rtol=1e-4, atol=1e-7)
    np.testing.assert_allclose(found.l2, np.linalg.norm(slope, axis=-1), rtol=1e-4, atol=1e-7)
    np.testing.assert_allclose(found.total, slope.sum(-1), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(found.l1, np.abs(slope).sum(-1), rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("site", ["word", "sentence"])
def test_evidence_is_observed_at_either_site(site):
    model = MODELS["additive"]
    found = observe(model, params_of(model), documents(), RNG, site=site)
    shape = {"word": (4, M, T), "sentence": (4, M)}[site]
    assert found.alpha.shape == found.encoded.mask.shape == shape
    assert found.token_logits.shape == (*shape, 1)
