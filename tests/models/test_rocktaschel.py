"""Conditional encoding: the question is read on from the passage."""

import jax.numpy as jnp
import numpy as np

from tests.models.families import MODELS, batch, params_of, row

MODEL = MODELS["rocktaschel-additive"]


def query_of(example):
    params = params_of(MODEL)
    return MODEL.encode(params, MODEL.embed(params, example)).query


def reading(weights, x, cell, hidden):
    """A plain LSTM in NumPy, gates i, f, g, o."""

    def sigmoid(a):
        return 1 / (1 + np.exp(-a))

    for word in x:
        gates = word @ weights["input"]["kernel"] + weights["input"]["bias"] + hidden @ weights["recurrent"]
        i, f, g, o = np.split(gates, 4)
        cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
        hidden = sigmoid(o) * np.tanh(cell)
    return cell, hidden


def test_the_query_is_a_plain_reading_of_passage_then_question():
    example, params = row(batch(), 2), params_of(MODEL)
    embedded = MODEL.embed(params, example)
    passage = np.asarray(embedded.x)[np.asarray(embedded.valid)]
    question = np.asarray(embedded.question)[np.asarray(embedded.question_valid)]
    expected = []
    for way, step in (("forward_0", 1), ("backward_0", -1)):
        start = reading(params["encoder"][way], passage[::step], np.zeros(2), np.zeros(2))
        expected.append(reading(params["question_encoder"][way], question[::step], *start)[1])
    np.testing.assert_allclose(query_of(example), np.concatenate(expected), rtol=1e-4, atol=1e-5)


def test_the_query_depends_on_the_passage_unlike_the_plain_pair_models():
    example, other = row(batch(), 3), row(batch(), 3)
    other = other.replace(ids=jnp.where(other.attendable, 4 + (other.ids - 3) % 7, other.ids))
    assert np.abs(query_of(example) - query_of(other)).max() > 0.01
