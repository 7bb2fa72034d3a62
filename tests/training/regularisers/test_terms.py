"""Each regulariser against a plain loop, and all of them in one objective."""

import dataclasses
import pathlib

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
import scipy.special

from attn_jax.data.vocabulary import SPECIAL
from attn_jax.errors import UserError
from attn_jax.models import attentions, encoders
from attn_jax.models.classifier import SequenceClassifier
from attn_jax.models.layers import TokenEmbedding
from attn_jax.training import regularisers
from attn_jax.training.objective import Likelihood, Objective, Pass
from attn_jax.training.regularisers import corruption
from attn_jax.training.regularisers.diversity import Diversity, conicity
from attn_jax.training.regularisers.mlm import MaskedWords
from attn_jax.training.regularisers.tying import Tying
from tests.models.families import LENGTHS, MODELS, WORDS, E, T, batch, params_of, row

MODEL = MODELS["bilstm-additive"]
NARROW = SequenceClassifier(TokenEmbedding(WORDS, E), encoders.BiLSTM(3), attentions.Additive(), 2)
TERMS = (Tying(), MaskedWords(), Diversity())


def rng():
    return jax.random.key(7)


def passed(model, params, example):
    embedded = model.embed(params, example)
    encoded = model.encode(params, embedded)
    alpha = model.attend(params, encoded)
    return Pass(embedded, encoded, alpha, model.decode(params, encoded, alpha))


def value(term, i, model=MODEL):
    params, example = params_of(model), row(batch(), i)
    return term(model, params, example, passed(model, params, example), rng())


@pytest.mark.parametrize("i", range(len(LENGTHS)))
def test_tying_is_the_mean_squared_distance_of_states_and_words(i):
    seen = passed(MODEL, params_of(MODEL), row(batch(), i))
    gaps = [
        np.sum((np.asarray(seen.encoded.states[t]) - np.asarray(seen.embedded.x[t])) ** 2)
        for t in np.flatnonzero(seen.encoded.mask)
    ]
    expected = 20 * np.mean(gaps) if gaps else 0.0
    np.testing.assert_allclose(value(Tying(20.0), i), expected, rtol=1e-5)


@pytest.mark.parametrize("i", range(len(LENGTHS)))
def test_diversity_is_the_conicity_of_the_real_states(i):
    seen = passed(MODEL, params_of(MODEL), row(batch(), i))
    states = np.asarray(seen.encoded.states, np.float64)[np.asarray(seen.encoded.mask)]
    mean = states.mean(0) if len(states) else None
    cosines = [abs(h @ mean) / np.linalg.norm(h) / np.linalg.norm(mean) for h in states]
    expected = 0.5 * np.mean(cosines) if cosines else 0.0
    np.testing.assert_allclose(value(Diversity(), i), expected, rtol=1e-5)


def test_conicity_of_one_line_and_the_slope_at_zero():
    mask = np.array([True, True, False])
    line = jnp.array([[1.0, 2.0], [3.0, 6.0], [9.0, -9.0]])
    np.testing.assert_allclose(conicity(line, mask), 1.0, rtol=1e-6)
    grads = jax.grad(conicity)(jnp.zeros((3, 2)), mask)
    assert np.isfinite(grads).all()


@pytest.mark.parametrize("i", range(len(LENGTHS)))
def test_masked_words_are_guessed_by_the_word_vectors(i):
    params, example = params_of(MODEL), row(batch(), i)
    draws, _ = jax.random.split(rng())
    hidden = corruption.corrupt(draws, example.ids, example.attendable, words=WORDS, share=0.4)
    table = np.asarray(params["embedding"]["table"]["embedding"])
    states = np.asarray(passed(MODEL, params, example.replace(ids=hidden.ids)).encoded.states)
    losses = [
        -scipy.special.log_softmax(table @ states[p])[example.ids[p]]
        for p, chosen in zip(hidden.places, hidden.chosen, strict=True)
        if chosen
    ]
    assert len(losses) == min(LENGTHS[i], max(1, round(0.4 * LENGTHS[i])))
    expected = 3 * np.sum(losses)
    np.testing.assert_allclose(value(MaskedWords(3.0, share=0.4), i), expected, rtol=1e-5)


def test_no_gradient_reaches_the_decoder_of_masked_words():
    """Through the look-up alone: rows that the corrupted text does not hold get none."""
    params, example = params_of(MODEL), row(batch(), 3)
    alone = jax.tree.map(lambda a: a[None], example)

    def loss(params):  # of a batch, as training takes it
        def one(example):
            return MaskedWords()(MODEL, params, example, passed(MODEL, params, example), rng())

        return jax.vmap(one)(alone).sum()

    grads = jax.grad(loss)(params)
    draws, _ = jax.random.split(rng())
    hidden = corruption.corrupt(draws, example.ids, example.attendable, words=WORDS, share=0.15)
    moved = np.abs(np.asarray(grads["embedding"]["table"]["embedding"])).max(1) > 0
    np.testing.assert_array_equal(np.flatnonzero(moved), np.unique(hidden.ids[example.valid]))
    assert np.abs(grads["encoder"]["forward_0"]["recurrent"]).max() > 0


def test_corruption_hides_the_right_share_in_the_right_ways():
    ids = np.arange(4, 204, dtype=np.int32)
    mask = np.arange(200) < 100
    draws = jax.random.split(rng(), 400)
    found = jax.vmap(lambda one: corruption.corrupt(one, ids, mask, words=10_000, share=0.15))(draws)
    assert (np.asarray(found.chosen.sum(1)) == 15).all()
    places = np.asarray(found.places)[np.asarray(found.chosen)].reshape(400, 15)
    assert places.max() < 100
    assert all(len(set(row)) == 15 for row in places)
    changed = np.asarray(found.ids) != ids[None]
    np.testing.assert_array_equal(np.flatnonzero(changed[:, 100:]), [])
    new = np.take_along_axis(np.asarray(found.ids), places, 1)
    masked = new == corruption.MASK
    kept = new == ids[places]
    np.testing.assert_allclose([masked.mean(), kept.mean()], [0.8, 0.1], atol=0.02)
    assert new[~masked].min() >= len(SPECIAL)
    # Every token is as likely as any other: 60 of 400 each, give or take 5 standard deviations.
    counts = np.bincount(places.ravel(), minlength=100)
    assert np.abs(counts - 60).max() < 5 * np.sqrt(400 * 0.15 * 0.85)


@pytest.mark.parametrize("term", [Tying(), MaskedWords()])
def test_states_of_another_width_are_one_sentence(term):
    with pytest.raises(UserError, match="as wide as the word vectors"):
        value(term, 3, NARROW)


def test_terms_compose_hash_and_learn():
    objective = Objective(MODEL, (Likelihood(), *TERMS))
    assert hash(objective) == hash(Objective(MODEL, (Likelihood(), Tying(), MaskedWords(), Diversity())))
    assert objective != Objective(MODEL, (Likelihood(), dataclasses.replace(Tying(), strength=2.0)))
    rows, params = batch(seed=3), params_of(MODEL)
    parts = (Likelihood(), Tying(), Diversity())
    alone = [Objective(MODEL, (term,))(params, rows, rng()) for term in parts]
    np.testing.assert_allclose(Objective(MODEL, parts)(params, rows, rng()), sum(alone), rtol=1e-5)
    transform = optax.adam(0.03)

    @jax.jit
    def train(params):
        def step(carry, rng):
            params, state = carry
            loss, grads = jax.value_and_grad(objective)(params, rows, rng)
            updates, state = transform.update(grads, state)
            return (optax.apply_updates(params, updates), state), loss

        return jax.lax.scan(step, (params, transform.init(params)), jax.random.split(rng(), 200))[1]

    losses = np.asarray(train(params))
    assert losses[-20:].mean() < 0.5 * losses[:20].mean()


def test_padding_never_matters_to_tying_and_diversity():
    params = params_of(MODEL)
    for term in (Tying(), Diversity()):
        objective = Objective(MODEL, (term,))
        short, long = (objective(params, batch(length), rng()) for length in (T, T + 4))
        np.testing.assert_allclose(short, long, rtol=1e-5)


def test_a_regulariser_is_a_short_file():
    for path in pathlib.Path(regularisers.__path__[0]).glob("*.py"):
        assert len(path.read_text().splitlines()) < 60, path.name
