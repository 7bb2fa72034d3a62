"""Wrapped encoders: the words are in the states, and every law of the seam still holds."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from attn_jax import divergences, masking, outputs
from attn_jax.analyses.leave_one_out import leave_one_out, without
from attn_jax.errors import UserError
from attn_jax.models import attentions, encoders
from attn_jax.models.classifier import SequenceClassifier
from attn_jax.models.layers import TokenEmbedding
from attn_jax.models.presets import TUTEK_SNAJDER, Sizes, classifier
from attn_jax.models.wrappers import Concat, Residual
from attn_jax.training.objective import Objective
from tests.models.families import LENGTHS, WORDS, E, T, batch, params_of, row

INNER = encoders.BiLSTM(2)
WRAPPED = {
    name: SequenceClassifier(TokenEmbedding(WORDS, E), wrap(INNER), attentions.Dot(), 2)
    for name, wrap in {"concat": Concat, "residual": Residual}.items()
}


def evidence(model, rows):
    return jax.jit(jax.vmap(lambda example: model.evidence(params_of(model), example)))(rows)


@pytest.fixture(scope="module", params=WRAPPED)
def name(request):
    return request.param


def test_states_are_the_inner_ones_and_the_words(name):
    model, rows = WRAPPED[name], batch()
    params = params_of(model)
    table = np.asarray(params["embedding"]["table"]["embedding"])
    words = np.where(rows.valid[..., None], table[rows.ids], 0.0)
    run = jax.vmap(lambda x, valid: INNER.apply({"params": params["encoder"]["inner"]}, x, valid))
    inner, _ = run(words, rows.valid)
    expected = words + inner if name == "residual" else np.concatenate([inner, words], -1)
    np.testing.assert_allclose(evidence(model, rows).encoded.states, expected, atol=1e-6)


def test_padding_never_matters_and_alpha_is_a_distribution(name):
    model = WRAPPED[name]
    short, long = evidence(model, batch()), evidence(model, batch(T + 4))
    np.testing.assert_allclose(short.logits, long.logits, atol=1e-5)
    np.testing.assert_array_equal(long.encoded.states[:, T:], 0)
    np.testing.assert_allclose(short.alpha.sum(-1), np.array(LENGTHS) > 0, atol=1e-6)


def test_token_logits_stay_affine(name):
    seen = evidence(WRAPPED[name], batch())
    mixed = np.einsum("bt,btc->bc", seen.alpha, seen.token_logits)
    np.testing.assert_allclose(mixed[1:], seen.logits[1:], atol=1e-5)


def test_every_leaf_moves(name):
    model = WRAPPED[name]
    grads = jax.jit(jax.grad(Objective(model)))(params_of(model), batch(), jax.random.key(1))
    for path, leaf in jax.tree_util.tree_leaves_with_path(grads):
        assert np.abs(leaf).max() > 0, path


def test_the_summary_follows_the_states(name):
    valid = jnp.arange(T) < 5
    x = jax.random.normal(jax.random.key(1), (T, E))
    model = WRAPPED[name].encoder
    params = model.init(jax.random.key(0), x, valid)["params"]
    states, summary = model.apply({"params": params}, x, valid)
    assert summary.shape == states.shape[1:]
    _, inner = INNER.apply({"params": params["inner"]}, x, valid)
    mean = x[:5].mean(0)
    expected = inner + mean if name == "residual" else np.concatenate([inner, mean])
    np.testing.assert_allclose(summary, expected, atol=1e-6)


def test_leave_one_out_skips_the_deleted_step(name):
    model, example = WRAPPED[name], row(batch(), 3)
    params = params_of(model)
    assert model.skips_gaps
    logits = model.forward(params, example)
    found = leave_one_out(model, params, example, logits, jax.random.key(0))
    for t in np.flatnonzero(example.attendable):
        again = model.forward(params, without(example, jnp.int32(t)))
        change = divergences.tvd(outputs.probabilities(again), outputs.probabilities(logits))
        np.testing.assert_allclose(found[t], change, atol=1e-6)


def test_a_residual_of_other_width_is_one_sentence():
    model = SequenceClassifier(TokenEmbedding(WORDS, E), Residual(encoders.BiLSTM(3)), attentions.Dot(), 2)
    with pytest.raises(UserError, match="words of 4 numbers to states of 6"):
        params_of(model)


def test_layers_by_the_names_of_table_6_and_a_start_that_is_small():
    layers = {
        n: classifier(f"bilstm_{n}_layers", "dot", words=9, classes=2, sizes=Sizes(4, 2)).encoder.layers
        for n in (1, 2, 3)
    }
    assert layers == {1: 1, 2: 2, 3: 3}
    assert 2 * TUTEK_SNAJDER.bilstm == TUTEK_SNAJDER.embedding == 300
    queries = {}
    for name in ("dot", "dot_small_start"):
        model = classifier("bilstm", name, words=WORDS, classes=2, sizes=Sizes(E, 50))
        drawn = model.init_params(jax.random.key(3), jax.tree.map(lambda a: a[3], batch()))
        queries[name] = np.asarray(drawn["attention"]["query"])
    assert 0.7 < queries["dot"].std() < 1.3
    assert np.abs(queries["dot_small_start"]).max() <= 0.1
    assert queries["dot_small_start"].std() == pytest.approx(0.1 / 3**0.5, rel=0.3)


def test_without_its_scale_the_dot_product_is_sharper():
    sizes, example = Sizes(E, 50), row(batch(), 3)
    scaled, sharp = (
        classifier("bilstm", name, words=WORDS, classes=2, sizes=sizes) for name in ("dot", "dot_sharp")
    )
    params = scaled.init_params(jax.random.key(3), example)
    encoded = scaled.encode(params, scaled.embed(params, example))
    expected = masking.normalise(scaled.attend(params, encoded) ** 10, encoded.mask)  # sqrt(100) x the scores
    np.testing.assert_allclose(sharp.attend(params, encoded), expected, atol=1e-5)
