"""Altered attention, per-token probability and entropy, each against a plain computation."""

import jax
import jax.numpy as jnp
import numpy as np
import scipy.stats

from attn_jax import divergences, outputs
from attn_jax.analyses.altered import altered
from attn_jax.analyses.entropy import relative_entropy
from attn_jax.analyses.fragility import fragility
from attn_jax.analyses.token_probability import mean_token_probability, token_probability
from tests.models.families import LENGTHS, MODELS, T, batch, params_of, row

MODEL = MODELS["bilstm-additive"]
RNG = jax.random.key(0)


def test_columns_are_the_model_with_its_attention_replaced():
    params, rows = params_of(MODEL), batch()
    found = fragility(MODEL, params, rows, RNG)
    for i in (1, 2, 3):
        example = row(rows, i)
        uniform = MODEL.forward_altered(
            params, example, {"text": lambda rng, alpha, mask: mask / mask.sum()}, RNG
        )
        assert found["prediction_uniform"][i] == outputs.predicted(uniform)
        change = divergences.tvd(outputs.probabilities(uniform), found["probabilities"][i])
        np.testing.assert_allclose(found["tvd_uniform"][i], change, atol=1e-5)
        np.testing.assert_allclose(
            found["attention_entropy"][i],
            scipy.stats.entropy(found["alpha"][i]) / np.log(max(LENGTHS[i], 2)) if LENGTHS[i] > 1 else np.nan,
            rtol=1e-4,
        )
    assert found["length"].tolist() == list(LENGTHS)
    assert np.isnan(found["token_probability"][0])


def test_permuted_attention_keeps_the_weights():
    alpha = jnp.array([0.0, 0.6, 0.3, 0.1, 0.0])
    mask = jnp.array([False, True, True, True, False])
    seen = [altered(lambda a: a, alpha, mask, jax.random.key(k)).permuted for k in range(20)]
    for weights in seen:
        np.testing.assert_allclose(np.sort(weights), np.sort(alpha))
        np.testing.assert_array_equal(weights[~mask], 0)
    assert len({tuple(w.tolist()) for w in seen}) > 3
    np.testing.assert_allclose(altered(lambda a: a, alpha, mask, RNG).uniform, mask / 3)


def test_per_token_probability_is_decode_at_one_hot_attention():
    params = params_of(MODEL)
    example = row(batch(), 3)
    seen = MODEL.evidence(params, example)
    found = token_probability(seen.token_logits, seen.logits)
    side = int(outputs.predicted(seen.logits))
    each = [outputs.probabilities(MODEL.decode(params, seen.encoded, jnp.eye(T)[t]))[side] for t in range(T)]
    np.testing.assert_allclose(found, each, atol=1e-6)
    mask = np.asarray(example.attendable)
    np.testing.assert_allclose(mean_token_probability(found, mask), np.asarray(found)[mask].mean(), rtol=1e-6)


def test_per_token_probability_of_more_classes_is_of_the_predicted_one():
    logits = jnp.array([[0.0, 2.0, 1.0], [1.0, 0.0, 0.0]])
    found = token_probability(logits, jnp.array([0.0, 0.0, 3.0]))
    np.testing.assert_allclose(found, jax.nn.softmax(logits)[:, 2], rtol=1e-6)


def test_relative_entropy_at_its_ends():
    mask = jnp.array([True, True, True, False])
    assert relative_entropy(jnp.array([1 / 3, 1 / 3, 1 / 3, 0.0]), mask) == 1.0
    assert relative_entropy(jnp.array([0.0, 1.0, 0.0, 0.0]), mask) == 0.0
    assert np.isnan(relative_entropy(jnp.array([1.0, 0.0]), jnp.array([True, False])))
