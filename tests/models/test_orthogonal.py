"""The orthogonal LSTM against a plain loop, and its law: a state has no part along the mean before it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from attn_jax.models.orthogonal import OrthogonalBiLSTM, OrthogonalLSTM

T, E, H = 6, 3, 4
X = jax.random.normal(jax.random.key(0), (T, E))
VALID = jnp.arange(T) < 5


@pytest.fixture(scope="module")
def module():
    module = OrthogonalLSTM(H)
    return module, jax.jit(module.init)(jax.random.key(1), X, VALID)


def test_each_state_is_orthogonal_to_the_mean_of_those_before_it(module):
    states, last = module[0].apply(module[1], X, VALID)
    for t in range(1, 5):
        mean = np.asarray(states[:t]).mean(0)
        cosine = states[t] @ mean / (np.linalg.norm(states[t]) * np.linalg.norm(mean))
        assert abs(cosine) < 1e-3
    np.testing.assert_array_equal(states[5], 0)
    np.testing.assert_array_equal(last, states[4])


def test_it_is_the_written_recurrence(module):
    weights = module[1]["params"]
    recurrent = np.asarray(weights["recurrent"])
    cell, hidden, before = np.zeros(H), np.zeros(H), []
    found = np.asarray(module[0].apply(module[1], X, VALID)[0])

    def sigmoid(z):
        return 1 / (1 + np.exp(-z))

    for t in range(5):
        gates = np.asarray(X[t] @ weights["input"]["kernel"] + weights["input"]["bias"]) + hidden @ recurrent
        i, f, g, o = np.split(gates, 4)
        cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
        raw = sigmoid(o) * np.tanh(cell)
        mean = np.mean(before, 0) if before else np.zeros(H)
        hidden = raw - raw @ mean / (mean @ mean + 1e-6) * mean
        before.append(hidden)
        np.testing.assert_allclose(found[t], hidden, atol=1e-4)


def test_both_directions_ignore_padding():
    module = OrthogonalBiLSTM(H)
    params = jax.jit(module.init)(jax.random.key(1), X, VALID)
    whole, summary = module.apply(params, X, VALID)
    short, other = module.apply(params, X[:5], VALID[:5])
    np.testing.assert_allclose(whole[:5], short, atol=1e-6)
    np.testing.assert_allclose(summary, other, atol=1e-6)
    assert whole.shape == (T, 2 * H)
