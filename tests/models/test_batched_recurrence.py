"""The recurrence of a batch at once against `vmap` of the recurrence of one text: values and slopes."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from attn_jax.models.batched_recurrence import carried_in_batches, states_in_batches
from attn_jax.models.recurrence import carried

B, T, D = 3, 6, 4


def given(seed=0):
    draws = jax.random.split(jax.random.key(seed), 4)
    weights = 0.5 * jax.random.normal(draws[0], (D, 4 * D))
    gates = jax.random.normal(draws[1], (B, T, 4 * D))
    # A whole text, one that ends early, and one with a gap inside.
    valid = jnp.array([[1, 1, 1, 1, 1, 1], [1, 1, 1, 0, 0, 0], [1, 1, 0, 1, 1, 0]], bool)
    start = tuple(jax.random.normal(draws[2], (2, B, D)))
    return weights, gates, valid, start


def loss(read, weights, gates, valid, start, start_axis, **which):
    """A sum that each state and each end of a text counts in with a weight of its own."""
    each = jax.vmap(lambda *text: read(weights, *text, **which), (0, 0, start_axis))
    (cell, hidden), states = each(gates, valid, start)
    return sum((jnp.cos(jnp.arange(v.size)).reshape(v.shape) * v).sum() for v in (cell, hidden, states))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("shared_start", [False, True])
def test_values_and_slopes_are_those_of_one_text_at_a_time(reverse, shared_start):
    weights, gates, valid, start = given()
    start, axis = (jax.tree.map(lambda a: a[0], start), None) if shared_start else (start, 0)

    def both(read):
        def of(weights, gates, start):
            return loss(read, weights, gates, valid, start, axis, reverse=reverse)

        return jax.jit(jax.value_and_grad(of, argnums=(0, 1, 2)))(weights, gates, start)

    found, expected = both(carried_in_batches), both(carried)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5), found, expected)


def test_several_models_in_one_program_are_read_each_with_its_own_weights():
    some = [given(seed) for seed in (0, 1)]
    stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *some)

    def slopes(read):
        def of(weights, gates, valid, start):
            return jax.grad(lambda w: loss(read, w, gates, valid, start, 0, reverse=False))(weights)

        return jax.jit(jax.vmap(of))(*stacked)

    np.testing.assert_allclose(slopes(carried_in_batches), slopes(carried), rtol=1e-4, atol=1e-5)


def test_a_batch_of_models_on_one_text_falls_back_to_one_text_at_a_time():
    weights, gates, valid, start = given()
    stack = jnp.stack([weights, -weights])
    text = gates[0], valid[0], jax.tree.map(lambda a: a[0], start)

    def ends(read):
        return jax.vmap(lambda w: read(w, *text, reverse=True))(stack)

    jax.tree.map(
        lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6),
        ends(carried_in_batches),
        ends(carried),
    )


def plain(weights, gates, valid, reverse):
    zero = jnp.zeros(D)
    return carried(weights, gates, valid, (zero, zero), reverse=reverse)[1]


@pytest.mark.parametrize("reverse", [False, True])
def test_slopes_of_each_text_in_its_gates_are_those_of_one_text_at_a_time(reverse):
    weights, gates, valid, _ = given()
    valid = valid.at[:, -2:].set(False)  # places that are padding in every text
    importance = jnp.cos(jnp.arange(T * D)).reshape(T, D)

    def slopes(read):
        def of(gates, valid):
            return (importance * jnp.tanh(read(weights, gates, valid, reverse=reverse))).sum()

        return jax.jit(jax.vmap(jax.value_and_grad(of)))(gates, valid)

    found, expected = slopes(states_in_batches), slopes(plain)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6), found, expected)


def test_batches_of_batches_are_read_as_one_and_models_each_with_their_own_weights():
    weights, gates, valid, _ = given()
    scales, models = jnp.array([0.5, 1.0, -1.0, 2.0]), jnp.stack([weights, -weights])

    def slopes(read):
        def of(gates, scale, weights, valid):
            return jnp.sin(read(weights, scale * gates, valid, reverse=True)).sum()

        each = jax.vmap(jax.grad(of), (None, 0, None, None))  # several scales of one text
        each = jax.vmap(each, (0, None, None, 0))  # several texts
        return jax.jit(jax.vmap(each, (None, None, 0, None)))(gates, scales, models, valid)

    found = slopes(states_in_batches)
    assert found.shape == (2, B, 4, T, 4 * D)
    np.testing.assert_allclose(found, slopes(plain), rtol=1e-4, atol=1e-6)


def test_one_text_alone_and_a_text_of_nothing_but_padding():
    weights, gates, valid, _ = given()
    for mask in (valid[2], jnp.zeros(T, bool)):
        found = states_in_batches(weights, gates[0], mask, reverse=False)
        np.testing.assert_allclose(found, plain(weights, gates[0], mask, False), rtol=1e-5, atol=1e-6)
        slope = jax.grad(lambda g, m=mask: states_in_batches(weights, g, m, reverse=False).sum())(gates[0])
        assert (slope[~mask] == 0).all()
