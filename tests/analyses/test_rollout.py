"""Rollout and value-weighted attention against their plain definitions."""

import jax
import numpy as np

from attn_jax.analyses.rollout import read_at, rollout, value_weighted

L, N, T, H, D = 3, 2, 4, 3, 5
REAL = np.arange(T) < 3


def stack():
    weights = np.random.default_rng(0).uniform(size=(L, N, T, T)) * REAL[:, None] * REAL[None]
    return (weights / np.maximum(weights.sum(-1, keepdims=True), 1e-9)).astype(np.float32)


def test_rollout_is_the_product_of_the_layers_with_their_residuals():
    found = jax.jit(rollout)(stack())
    expected = np.eye(3)
    for layer in stack()[..., :3, :3]:
        expected = (0.5 * layer.mean(0) + 0.5 * np.eye(3)) @ expected
    np.testing.assert_allclose(found[:3, :3], expected, rtol=1e-5)
    np.testing.assert_allclose(found[3], np.eye(T)[3], atol=1e-6)
    np.testing.assert_allclose(found.sum(-1), 1, rtol=1e-5)


def test_without_residual_one_layer_is_the_mean_of_its_heads():
    one = stack()[:1]
    found = jax.jit(lambda: rollout(one, residual=0.0))()
    np.testing.assert_allclose(found[:3], one[0].mean(0)[:3], rtol=1e-5)
    np.testing.assert_array_equal(read_at(found, 0, REAL & (np.arange(T) > 0))[::3], 0)


def test_value_weighted_is_the_length_of_what_each_token_adds():
    draw = np.random.default_rng(1)
    alpha, values = stack()[0], draw.normal(size=(N, T, H)).astype(np.float32)
    kernel = draw.normal(size=(N, H, D)).astype(np.float32)
    found = jax.jit(value_weighted)(alpha, values, kernel)
    for s in range(T):
        for t in range(T):
            added = sum(alpha[n, s, t] * values[n, t] @ kernel[n] for n in range(N))
            np.testing.assert_allclose(found[s, t], np.linalg.norm(added), rtol=1e-4, atol=1e-6)
