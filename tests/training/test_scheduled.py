"""AdamW with warm-up: up to the rate, down to nothing, and decay of matrices alone."""

import jax
import jax.numpy as jnp
import numpy as np
import optax

from attn_jax.training.objective import WordLikelihood
from attn_jax.training.optimiser import Scheduled


def updates(optimiser, params, steps):
    """The update of every step under a gradient of ones, jitted as one scan."""
    transform = optimiser.build()

    def step(state, _):
        update, state = transform.update(jax.tree.map(jnp.ones_like, params), state, params)
        return state, update

    return jax.jit(lambda: jax.lax.scan(step, transform.init(params), None, steps)[1])()


def test_the_rate_rises_and_falls_in_straight_lines():
    found = updates(Scheduled(0.1, 0.0, warmup=2, steps=6), {"w": jnp.zeros(1)}, 7)["w"][:, 0]
    # Adam's own step is 1 under a constant gradient.
    np.testing.assert_allclose(found, [0, -0.05, -0.1, -0.075, -0.05, -0.025, 0], atol=1e-5)


def test_matrices_decay_and_biases_do_not():
    params = {"matrix": jnp.full((2, 2), 4.0), "bias": jnp.full(2, 4.0)}
    plain, decayed = (updates(Scheduled(0.1, l2, warmup=1, steps=9), params, 2) for l2 in (0.0, 0.5))
    np.testing.assert_allclose(decayed["bias"], plain["bias"])
    np.testing.assert_allclose(decayed["matrix"][1] - plain["matrix"][1], -0.1 * 0.5 * 4.0, rtol=1e-5)


def test_smoothing_spreads_a_share_over_all_words():
    from types import SimpleNamespace

    logits = jnp.asarray([[2.0, 0.0, -1.0], [0.5, 0.5, 3.0]])
    example = SimpleNamespace(target_ids=np.array([0, 0, 2]), target_valid=np.array([True, True, True]))
    wanted = jnp.asarray([[1.0, 0, 0], [0, 0, 1.0]]) * 0.9 + 0.1 / 3
    expected = optax.softmax_cross_entropy(logits, wanted).mean()
    term = WordLikelihood.__call__
    unchecked = getattr(term, "__wrapped__", term)  # the example here is only what the term reads of one
    found = unchecked(WordLikelihood(0.1), None, None, example, SimpleNamespace(logits=logits), None)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
