"""Proposition 4.1: single-sequence attention is a gate, attention over a pair is not."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from attn_jax.analyses.gating import gates, gating_form, gating_gap, query_spread
from tests.models.families import MODELS, batch, params_of

SINGLE = ("bilstm-additive", "cnn-additive", "average-dot", "bilstm-additive-3", "bilstm-uniform")
PAIR = ("pair-bilstm-additive", "pair-bilstm-dot", "rocktaschel-additive")


@functools.cache
def seen(name):
    model, params = MODELS[name], params_of(MODELS[name])
    return model, params, jax.jit(jax.vmap(lambda example: model.evidence(params, example)))(batch())


def gaps(name):
    model, params, found = seen(name)
    return np.asarray(jax.vmap(lambda e, a: gating_gap(model, params, e, a))(found.encoded, found.alpha))


@pytest.mark.parametrize("name", SINGLE)
def test_over_one_sequence_attention_is_its_gating_form(name):
    model, params, found = seen(name)
    np.testing.assert_allclose(gaps(name), 0, atol=1e-5)
    gated = jax.vmap(lambda encoded: gating_form(model, params, encoded))(found.encoded)
    np.testing.assert_allclose(gated, found.logits, rtol=1e-4, atol=1e-5)


def test_the_gate_is_the_papers_g_on_the_same_weights():
    model, params, found = seen("bilstm-additive")
    encoded = jax.tree.map(lambda a: a[3], found.encoded)
    weights = jax.tree.map(np.asarray, params["attention"])
    project, score = weights["states"]["dense"], weights["score"]["dense"]["kernel"]
    passed, total = np.zeros(encoded.states.shape[-1]), 0.0
    for x, attendable in zip(np.asarray(encoded.states), np.asarray(encoded.mask), strict=True):
        if attendable:
            opening = np.exp(np.tanh(x @ project["kernel"] + project["bias"]) @ score)[0]
            passed, total = passed + x * opening, total + opening
    ours = np.asarray(gates(model, params, encoded)) @ np.asarray(encoded.states)
    np.testing.assert_allclose(ours, passed / total, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", PAIR)
def test_over_a_pair_the_reduction_fails(name):
    assert gaps(name).max() > 1e-3  # a hundred times the rounding above
    np.testing.assert_allclose(gaps(name)[:2], 0, atol=1e-6)  # one token, or none: nothing to divide


@pytest.mark.parametrize("name", PAIR)
def test_no_gate_at_all_gives_the_attention_of_several_questions(name):
    model, params, found = seen(name)
    encoded, queries = jax.tree.map(lambda a: a[3], found.encoded), found.encoded.query
    assert query_spread(model, params, encoded, queries) > 1e-3
    same = jnp.repeat(queries[:1], 3, 0)
    np.testing.assert_allclose(query_spread(model, params, encoded, same), 0, atol=1e-6)
