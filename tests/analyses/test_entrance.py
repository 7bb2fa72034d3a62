"""The entrance of an encoder: affine, and followed by all the rest of it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from attn_jax.analyses.entrance import entrance
from tests.models.families import MODELS, batch, params_of, row

RNG = jax.random.key(0)


@pytest.mark.parametrize(("name", "width"), [("bilstm-additive", 16), ("cnn-additive", 4)])
def test_entering_and_encoding_is_the_encoder_and_entering_is_affine(name, width):
    model, example = MODELS[name], row(batch(), 3)
    params = params_of(model)
    embedded = model.embed(params, example)
    other = embedded.x[::-1]

    @jax.jit
    def look(x):
        door = entrance(model, params, embedded, RNG)
        between = 0.5 * (door.enter(x) + door.enter(embedded.x))
        mean = 0.5 * (x + embedded.x)
        return (
            door.encode(door.enter(x)),
            model.encode(params, embedded.replace(x=x)),
            between,
            door.enter(mean),
        )

    made, expected, between, entered = look(jnp.asarray(other))
    np.testing.assert_allclose(made.states, expected.states, atol=1e-6)
    np.testing.assert_array_equal(made.mask, expected.mask)
    np.testing.assert_allclose(between, entered, atol=1e-5)
    assert entered.shape == (*example.ids.shape, width)
