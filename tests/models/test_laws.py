"""Laws of the seam, for every encoder and attention and every family."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from attn_jax.training.objective import Objective
from tests.models.families import LENGTHS, MODELS, SOME, T, batch, params_of, row

RNG = {"attention": jax.random.key(0)}


def evidence(model, params, rows):
    return jax.jit(jax.vmap(lambda example: model.evidence(params, example, rngs=RNG)))(rows)


@pytest.fixture(scope="module", params=MODELS)
def seen(request):
    model = MODELS[request.param]
    return model, params_of(model), evidence(model, params_of(model), batch())


def test_composition_is_forward(seen):
    model, params, found = seen
    forward = jax.vmap(lambda example: model.forward(params, example, rngs=RNG))(batch())
    np.testing.assert_allclose(found.logits, forward, rtol=1e-5, atol=1e-6)
    called = jax.vmap(lambda e: model.apply({"params": params}, e, rngs=RNG))(batch())
    np.testing.assert_allclose(found.logits, called, rtol=1e-5, atol=1e-6)


def test_alpha_sums_to_one_and_is_zero_off_the_mask(seen):
    _, _, found = seen
    np.testing.assert_allclose(found.alpha.sum(-1), np.array(LENGTHS) > 0, atol=1e-6)
    assert (np.asarray(found.alpha)[~np.asarray(found.encoded.mask)] == 0).all()
    assert (np.asarray(found.alpha) >= 0).all()


def test_padding_never_matters(seen):
    model, params, found = seen
    longer = evidence(model, params, batch(T + 4))
    np.testing.assert_allclose(found.alpha, longer.alpha[:, :T], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(found.logits, longer.logits, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(longer.encoded.states[:, T:], 0)


def test_vmap_is_the_loop(seen):
    model, params, found = seen
    for i in range(len(LENGTHS)):
        one = model.evidence(params, row(batch(), i), rngs=RNG)
        np.testing.assert_allclose(one.logits, found.logits[i], rtol=1e-5, atol=1e-6)


def test_token_logits_are_decode_at_one_hot_attention(seen):
    model, params, found = seen
    encoded = jax.tree.map(lambda a: a[3], found.encoded)
    each = [model.decode(params, encoded, jnp.eye(T)[t]) for t in range(T)]
    np.testing.assert_allclose(found.token_logits[3], np.stack(each), rtol=1e-5, atol=1e-6)


def test_affine_says_whether_token_logits_explain_every_alpha(seen):
    model, params, found = seen
    encoded = jax.tree.map(lambda a: a[3], found.encoded)
    alphas = np.random.default_rng(0).dirichlet(np.ones(T), 20).astype(np.float32)
    direct = jax.vmap(model.decode, (None, None, 0))(params, encoded, alphas)
    gap = np.abs(direct - alphas @ np.asarray(found.token_logits[3])).max()
    assert (gap < 1e-5) == model.affine


def test_altered_attention_is_decoded_with_the_same_states(seen):
    model, params, found = seen
    site = model.sites[0]
    altered = model.forward_altered(
        params, row(batch(), 3), {site: lambda rng, alpha, mask: alpha[::-1]}, RNG["attention"]
    )
    encoded = jax.tree.map(lambda a: a[3], found.encoded)
    expected = model.decode(params, encoded, found.alpha[3][::-1])
    np.testing.assert_allclose(altered, expected, rtol=1e-5, atol=1e-6)


def test_an_unknown_site_is_named():
    model = MODELS["bilstm-additive"]
    with pytest.raises(ValueError, match="attends at text, not at dec/0"):
        model.encode(params_of(model), model.embed(params_of(model), row(batch(), 3)), site="dec/0")


@pytest.mark.parametrize("name", SOME)
def test_one_step_moves_every_trainable_leaf(name):
    model = SOME[name]
    params = params_of(model)
    grads = jax.jit(jax.grad(Objective(model)))(params, batch(), jax.random.key(1))
    for path, leaf in jax.tree_util.tree_leaves_with_path(grads):
        assert np.isfinite(leaf).all(), path
        assert np.abs(leaf).max() > 0, path


@pytest.mark.parametrize("name", SOME)
def test_overfits_one_batch(name):
    model = SOME[name]
    objective, transform = Objective(model), optax.adam(0.05)
    rows = batch(seed=3)

    @jax.jit
    def train(params):
        def step(carry, rng):
            params, state = carry
            loss, grads = jax.value_and_grad(objective)(params, rows, rng)
            updates, state = transform.update(grads, state)
            return (optax.apply_updates(params, updates), state), loss

        rngs = jax.random.split(jax.random.key(0), 150)
        return jax.lax.scan(step, (params, transform.init(params)), rngs)[1]

    losses = train(params_of(model))
    assert losses[-1] < 0.02 < losses[0]


def test_given_attention_is_the_examples_own():
    rows, model = batch(), MODELS["cnn-given"]
    kept = rows.given[3] * rows.attendable[3]
    found = model.evidence(params_of(model), row(rows, 3)).alpha
    np.testing.assert_allclose(found, kept / kept.sum(), rtol=1e-5)


def test_random_attention_changes_with_its_stream_only():
    model = MODELS["bilstm-random"]
    example, params = row(batch(), 3), params_of(MODELS["bilstm-random"])
    first, again, other = (
        model.evidence(params, example, rngs={"attention": jax.random.key(k)}).alpha for k in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, again)
    assert np.abs(first - other).max() > 0.01


def test_impossible_answers_get_no_probability():
    model = MODELS["pair-bilstm-additive"]
    example = row(batch(), 3)
    only = example.replace(choices=jnp.array([False, True, False]))
    logits = model.forward(params_of(model), only)
    np.testing.assert_allclose(jax.nn.softmax(logits), [0, 1, 0], atol=1e-6)
