"""The recurrence of a batch at once against `vmap` of the recurrence of one text: values and slopes."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from attn_jax.models.batched_recurrence import carried_in_batches
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
