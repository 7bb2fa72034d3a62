"""Training is dense Adam with L2 in the gradient: twenty steps are twenty plain optax steps."""

import jax
import jax.numpy as jnp
import numpy as np
import optax

from attn_jax.training.objective import Objective
from attn_jax.training.optimiser import Optimiser
from attn_jax.training.step import initialise, run_chunk
from tests.models.families import MODELS, WORDS, batch, row

STEPS = 20


def test_twenty_steps_are_plain_optax_steps():
    model, rows = MODELS["bilstm-additive"], batch()
    objective, optimiser, rng = Objective(model), Optimiser(amsgrad=True), jax.random.key(0)
    plain = optax.chain(optax.add_decayed_weights(1e-5), optax.scale_by_amsgrad(), optax.scale(-1e-3))
    state = initialise(model, optimiser, row(rows, 3), [0], None)
    params = jax.tree.map(lambda leaf: jnp.copy(leaf[0]), state.params)
    start, kept = params["embedding"]["table"]["embedding"], plain.init(params)

    @jax.jit
    def step(params, kept, number):
        slopes = jax.grad(objective)(params, rows, jax.random.fold_in(rng, number))
        updates, kept = plain.update(slopes, kept, params)
        return optax.apply_updates(params, updates), kept

    for number in range(STEPS):
        params, kept = step(params, kept, number)
    stacked = jax.tree.map(lambda leaf: np.broadcast_to(leaf, (1, STEPS, *leaf.shape)), rows)
    state, _ = run_chunk(
        *(state, stacked, jnp.int32(STEPS), rng[None]), objective=objective, optimiser=optimiser
    )
    for found, wanted in zip(jax.tree.leaves(state.params), jax.tree.leaves(params), strict=True):
        np.testing.assert_allclose(found[0], wanted, atol=1e-5)
    unseen = np.setdiff1d(np.arange(WORDS), rows.ids)
    assert len(unseen)
    moved = state.params["embedding"]["table"]["embedding"][0, unseen] - start[unseen]
    assert (jnp.abs(moved) > 1e-3).all()  # words of no text decay too: the update is dense
