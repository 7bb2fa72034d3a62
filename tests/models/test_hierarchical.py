"""Laws of the seam for documents: two sites, each of its own shape."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from attn_jax.models import encoders
from attn_jax.training.objective import Objective
from tests.models.document_family import DOCUMENTS, MODELS, M, T, documents, params_of
from tests.models.families import row

RNG = {"attention": jax.random.key(0)}


def evidence(model, params, rows, site):
    return jax.jit(jax.vmap(lambda e: model.evidence(params, e, site=site, rngs=RNG)))(rows)


@pytest.fixture(scope="module", params=MODELS)
def seen(request):
    model = MODELS[request.param]
    params = params_of(model)
    return model, params, {site: evidence(model, params, documents(), site) for site in model.sites}


def test_composition_is_forward_from_either_site(seen):
    model, params, found = seen
    forward = jax.vmap(lambda e: model.forward(params, e, rngs=RNG))(documents())
    called = jax.vmap(lambda e: model.apply({"params": params}, e, rngs=RNG))(documents())
    for logits in (called, found["word"].logits, found["sentence"].logits):
        np.testing.assert_allclose(logits, forward, rtol=1e-5, atol=1e-6)


def test_alpha_sums_to_one_in_every_sentence_and_over_them(seen):
    _, _, found = seen
    assert found["word"].alpha.shape == (4, M, T)
    np.testing.assert_allclose(found["word"].alpha.sum(-1), DOCUMENTS > 0, atol=1e-6)
    np.testing.assert_allclose(found["sentence"].alpha.sum(-1), (DOCUMENTS > 0).any(1), atol=1e-6)
    for site in found.values():
        assert (np.asarray(site.alpha)[~np.asarray(site.encoded.mask)] == 0).all()


def test_neither_more_words_nor_more_sentences_of_padding_matter(seen):
    model, params, found = seen
    longer = documents(M + 2, T + 3)
    words = evidence(model, params, longer, "word")
    np.testing.assert_allclose(words.alpha[:, :M, :T], found["word"].alpha, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(words.logits, found["word"].logits, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(
        words.token_logits[3, :M, :T][DOCUMENTS[3][:, None] > np.arange(T)],
        found["word"].token_logits[3][DOCUMENTS[3][:, None] > np.arange(T)],
        rtol=1e-5,
        atol=1e-6,
    )


def test_vmap_is_the_loop(seen):
    model, params, found = seen
    one = jax.jit(lambda e: model.evidence(params, e, rngs=RNG).logits)
    each = [one(row(documents(), i)) for i in range(4)]
    np.testing.assert_allclose(np.stack(each), found["word"].logits, rtol=1e-5, atol=1e-6)


def test_token_logits_are_decode_at_one_hot_attention(seen):
    model, params, found = seen
    encoded = jax.tree.map(lambda a: a[3], found["word"].encoded)
    expected = model.decode(params, encoded, jnp.zeros((M, T)).at[1, 2].set(1.0))
    np.testing.assert_allclose(found["word"].token_logits[3, 1, 2], expected, rtol=1e-5, atol=1e-6)
    # Over sentences the output is affine.
    at = jax.tree.map(lambda a: a[3], found["sentence"])
    alpha = np.random.default_rng(0).dirichlet(np.ones(M)).astype(np.float32)
    direct = model.decode(params, at.encoded, jnp.asarray(alpha))
    np.testing.assert_allclose(direct, alpha @ np.asarray(at.token_logits), rtol=1e-5, atol=1e-6)


def plain(params, example):
    """The model of Yang et al. as a loop over real sentences and words."""
    model = MODELS["additive"]

    def attended(level, x):
        states, _ = encoders.BiLSTM(2).apply({"params": params[f"{level}_encoder"]}, x, np.ones(len(x), bool))
        weights = jax.tree.map(np.asarray, params[f"{level}_attention"])
        hidden = np.tanh(
            states @ weights["states"]["dense"]["kernel"] + weights["states"]["dense"]["bias"][None]
        )
        scores = np.exp(hidden @ weights["score"]["dense"]["kernel"])
        return jnp.asarray((scores / scores.sum() * np.asarray(states)).sum(0))

    table = params["embedding"]["table"]["embedding"]
    texts = [ids[real] for ids, real in zip(example.ids, example.valid, strict=True) if real.any()]
    document = attended("sentence", jnp.stack([attended("word", table[ids]) for ids in texts]))
    return model.apply({"params": params}, document, method=lambda module, h: module.decoder(h))


@pytest.mark.parametrize("i", [2, 3])
def test_it_is_the_plain_loop_over_sentences(i):
    model, params = MODELS["additive"], params_of(MODELS["additive"])
    expected = plain(params, jax.tree.map(lambda a: np.asarray(a)[i], documents()))
    np.testing.assert_allclose(model.forward(params, row(documents(), i)), expected, rtol=1e-4, atol=1e-5)


def test_each_site_is_altered_alone_or_with_the_other():
    model, params = MODELS["additive"], params_of(MODELS["additive"])
    example, rng = row(documents(), 3), jax.random.key(2)
    reverse = {
        "word": lambda rng, a, m: jnp.where(m, a[:, ::-1] + 0.1, 0.0),
        "sentence": lambda rng, a, m: a[::-1],
    }
    natural = model.forward_altered(params, example, {}, rng)
    np.testing.assert_allclose(natural, model.forward(params, example), rtol=1e-5)
    embedded = model.embed(params, example)
    words, later = (model.encode(params, embedded, site=site) for site in model.sites)
    alpha = reverse["word"](rng, model.attend(params, words), jnp.asarray(words.mask))
    at_word = model.forward_altered(params, example, {"word": reverse["word"]}, rng)
    np.testing.assert_allclose(at_word, model.decode(params, words, alpha), rtol=1e-5)
    at_sentence = model.forward_altered(params, example, {"sentence": reverse["sentence"]}, rng)
    expected = model.decode(params, later, model.attend(params, later)[::-1])
    np.testing.assert_allclose(at_sentence, expected, rtol=1e-5)
    both = model.forward_altered(params, example, reverse, rng)
    outcomes = np.array([natural[0], at_word[0], at_sentence[0], both[0]])
    assert np.abs(outcomes[:, None] - outcomes[None])[np.triu_indices(4, 1)].min() > 1e-5
    with pytest.raises(ValueError, match="attends at word, sentence, not at text"):
        model.forward_altered(params, example, {"text": reverse["word"]}, rng)


@pytest.mark.parametrize("name", ["additive", "random-3"])
def test_training_moves_every_leaf_and_overfits(name):
    model = MODELS[name]
    objective, transform, rows = Objective(model), optax.adam(0.05), documents()
    start = params_of(model)

    @jax.jit
    def train(params):
        def step(carry, rng):
            params, state = carry
            loss, grads = jax.value_and_grad(objective)(params, rows, rng)
            updates, state = transform.update(grads, state)
            return (optax.apply_updates(params, updates), state), (loss, grads)

        rngs = jax.random.split(jax.random.key(0), 100)
        _, (losses, grads) = jax.lax.scan(step, (params, transform.init(params)), rngs)
        return losses, jax.tree.map(lambda g: g[0], grads)

    losses, grads = train(start)
    for path, leaf in jax.tree_util.tree_leaves_with_path(grads):
        assert np.isfinite(leaf).all(), path
        assert np.abs(leaf).max() > 0, path
    assert losses[-1] < 0.05 < losses[0]


def test_random_attention_differs_between_sentences_and_with_its_stream():
    model = MODELS["random-3"]
    params, example = params_of(model), row(documents(), 3)
    first, again, other = (
        model.evidence(params, example, rngs={"attention": jax.random.key(k)}) for k in (0, 0, 1)
    )
    np.testing.assert_array_equal(first.logits, again.logits)
    assert np.abs(first.alpha - other.alpha).max() > 0.01
    assert (
        np.abs(first.alpha[1, :2] / first.alpha[1, 0] - first.alpha[3, :2] / first.alpha[3, 0]).max() > 0.01
    )
