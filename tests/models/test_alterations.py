"""Altered attention: the same functions as alterations of a trained model and as modules inside one."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from attn_jax.models.alterations import ALTERATIONS
from attn_jax.training.objective import Objective
from tests.models import document_family
from tests.models.families import MODELS, batch, params_of, row

RNG = jax.random.key(0)
MASK = jnp.asarray(
    np.array([[1, 1, 1, 0, 1, 1], [0, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1]], bool)
)
ALPHA = jnp.where(MASK, jax.random.uniform(jax.random.key(1), MASK.shape), 0.0)
ALPHA = ALPHA / jnp.maximum(ALPHA.sum(-1, keepdims=True), 1e-9)


@pytest.mark.parametrize("name", ALTERATIONS)
def test_every_row_sums_to_one_on_its_mask_and_padding_moves_nothing(name):
    found = ALTERATIONS[name](RNG, ALPHA, MASK)
    np.testing.assert_allclose(found.sum(-1), MASK.any(-1), atol=1e-6)
    assert (np.asarray(found)[~np.asarray(MASK)] == 0).all()
    larger = ALTERATIONS[name](RNG, jnp.pad(ALPHA, ((0, 2), (0, 3))), jnp.pad(MASK, ((0, 2), (0, 3))))
    np.testing.assert_allclose(larger[:4, :6], found, atol=1e-6)
    heads = ALTERATIONS[name](RNG, jnp.stack([ALPHA, ALPHA]), jnp.stack([MASK, MASK]))
    assert heads.shape == (2, 4, 6)
    assert (name == "uniform") == np.allclose(heads[0], heads[1])


def test_uniform_random_and_permuted_are_what_they_say():
    even, drawn, moved = (ALTERATIONS[name](RNG, ALPHA, MASK) for name in ("uniform", "random", "permute"))
    np.testing.assert_allclose(even[0], np.asarray(MASK[0]) / 5, rtol=1e-6)
    np.testing.assert_allclose(np.sort(moved), np.sort(ALPHA))
    assert np.abs(moved - ALPHA).max() > 0.01
    assert np.abs(drawn[0, :3] / drawn[0, 0] - drawn[3, :3] / drawn[3, 0]).max() > 0.01
    # The ratio of two draws from U(0, 1) is below a half a quarter of the time; after a softmax, a twentieth.
    many = jax.vmap(lambda rng: ALTERATIONS["random"](rng, ALPHA[0], MASK[0]))(jax.random.split(RNG, 4000))
    assert abs((many[:, 0] / many[:, 1] < 0.5).mean() - 0.25) < 0.03


def test_the_permuted_module_shuffles_the_inner_attention():
    model, example = MODELS["average-permuted"], row(batch(), 3)
    params = params_of(model)
    plain = MODELS["average-additive"]
    inner = {**params, "attention": params["attention"]["inner"]}
    natural = plain.evidence(inner, example).alpha
    found = [model.evidence(params, example, rngs={"attention": jax.random.key(k)}).alpha for k in range(4)]
    for alpha in found:
        np.testing.assert_allclose(np.sort(alpha), np.sort(natural), rtol=1e-5, atol=1e-7)
    assert np.ptp(np.stack(found), 0).max() > 0.01


def test_a_model_can_be_trained_under_permuted_attention():
    model = MODELS["average-permuted"]
    grads = jax.jit(jax.grad(Objective(model)))(params_of(model), batch(), RNG)
    for path, leaf in jax.tree_util.tree_leaves_with_path(grads):
        assert np.isfinite(leaf).all(), path
        assert np.abs(leaf).max() > 0, path


@pytest.mark.parametrize("name", ALTERATIONS)
def test_documents_are_altered_at_each_level_and_at_both(name):
    model, example = document_family.MODELS["additive"], row(document_family.documents(), 3)
    params, alter = document_family.params_of(model), ALTERATIONS[name]
    choices = [{}, {"word": alter}, {"sentence": alter}, {"word": alter, "sentence": alter}]
    said = [model.forward_altered(params, example, chosen, RNG)[0] for chosen in choices]
    assert np.isfinite(said).all()
    assert len({round(float(logit), 6) for logit in said}) == 4
