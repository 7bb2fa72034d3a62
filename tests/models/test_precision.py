"""An encoder in bfloat16: float32 outside it, near the float32 encoder, trained like any other."""

import jax
import jax.numpy as jnp
import numpy as np

from attn_jax.models import attentions, encoders
from attn_jax.models.classifier import SequenceClassifier
from attn_jax.models.layers import TokenEmbedding
from attn_jax.models.precision import Bfloat16
from attn_jax.training.objective import Objective
from tests.models.families import WORDS, E, batch, params_of

PLAIN = SequenceClassifier(TokenEmbedding(WORDS, E), encoders.BiLSTM(2), attentions.Additive(), 2)
MODEL = PLAIN.clone(encoder=Bfloat16(encoders.BiLSTM(2)))


def evidence(model, params):
    return jax.jit(jax.vmap(lambda example: model.evidence(params, example)))(batch())


def test_states_are_rounded_and_all_else_is_float32():
    params = params_of(MODEL)
    assert {leaf.dtype for leaf in jax.tree.leaves(params)} == {jnp.dtype(jnp.float32)}
    seen = evidence(MODEL, params)
    exact = evidence(PLAIN, params | {"encoder": params["encoder"]["inner"]})
    for found, wanted in zip(jax.tree.leaves(seen), jax.tree.leaves(exact), strict=True):
        assert found.dtype == wanted.dtype
        np.testing.assert_allclose(found, wanted, atol=0.05)
    states = np.asarray(seen.encoded.states)
    np.testing.assert_array_equal(states, states.astype(jnp.bfloat16).astype(np.float32))
    assert np.abs(states - exact.encoded.states).max() > 1e-5
    np.testing.assert_allclose(seen.alpha.sum(-1)[1:], 1.0, atol=1e-6)


def test_every_leaf_gets_a_float32_gradient():
    slopes = jax.jit(jax.grad(Objective(MODEL)))(params_of(MODEL), batch(), jax.random.key(0))
    for path, leaf in jax.tree_util.tree_leaves_with_path(slopes):
        assert leaf.dtype == jnp.float32
        assert jnp.abs(leaf).max() > 0, jax.tree_util.keystr(path)
