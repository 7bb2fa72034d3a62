"""Laws of the seam for self-attention: every attention of a Transformer is a site; writing step by step."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from attn_jax.models.alterations import permuted, uniform
from attn_jax.models.layers import SubwordEmbedding
from attn_jax.models.transformer import Transformer
from tests.models import families
from tests.models.families import T, row
from tests.models.test_seq2seq import S, V, batch

MODEL = Transformer(SubwordEmbedding(families.WORDS, 4), V, width=4, heads=2, layers=1)
RNG = jax.random.key(0)
SITES = ("enc/0", "dec/0/self", "dec/0/cross")


@pytest.fixture(scope="module")
def params():
    drawn = MODEL.init_params(jax.random.key(1), row(batch(), 3))
    return jax.tree.map(lambda a: 2.0 * a, drawn)


@pytest.fixture(scope="module")
def forward(params):
    return jax.jit(jax.vmap(lambda e: MODEL.forward(params, e)))


@pytest.fixture(scope="module")
def sites(params):
    """(alpha, mask, logits) at every site of every row."""

    @jax.jit
    def seen(rows):
        def one(example):
            found = {}
            for site in SITES:
                encoded = MODEL.encode(params, MODEL.embed(params, example), site=site)
                alpha = MODEL.attend(params, encoded)
                found[site] = alpha, encoded.mask, MODEL.decode(params, encoded, alpha)
            return found

        return jax.vmap(one)(rows)

    return seen


def test_sites_are_named_in_order():
    assert MODEL.sites == SITES
    assert MODEL.clone(layers=2).sites == (
        *("enc/0", "enc/1", "dec/0/self", "dec/0/cross"),
        *("dec/1/self", "dec/1/cross"),
    )


def test_composition_at_every_site_is_forward(forward, sites):
    rows = batch()
    real = np.asarray(rows.target_valid)[:, 1:]
    for site, (alpha, mask, logits) in sites(rows).items():
        np.testing.assert_allclose(logits[real], forward(rows)[real], rtol=1e-4, atol=1e-5, err_msg=site)
        np.testing.assert_allclose(alpha.sum(-1), np.asarray(mask).any(-1), atol=1e-5, err_msg=site)
        assert (np.asarray(alpha)[~np.asarray(mask)] == 0).all()


def test_all_attentions_in_one_pass(params, sites):
    found = jax.jit(jax.vmap(lambda e: MODEL.attentions(params, e)))(batch())
    for site, (alpha, _, _) in sites(batch()).items():
        np.testing.assert_allclose(found[site], alpha, rtol=1e-4, atol=1e-6)


def test_padding_of_source_and_target_never_matters(forward):
    real = np.asarray(batch().target_valid)[:, 1:]
    longer = forward(batch(T + 3, S + 2))[:, :S]
    np.testing.assert_allclose(longer[real], forward(batch())[real], rtol=1e-4, atol=1e-5)


def test_vmap_is_the_loop(params, forward):
    one = jax.jit(lambda e: MODEL.forward(params, e))(row(batch(), 3))
    np.testing.assert_allclose(one, forward(batch())[3], rtol=1e-4, atol=1e-5)


def test_no_word_sees_those_behind_it(params):
    example = row(batch(), 3)
    other = example.replace(target_ids=example.target_ids.at[3].set(5))
    a, b = (jax.jit(lambda e: MODEL.forward(params, e))(e) for e in (example, other))
    np.testing.assert_allclose(a[:3], b[:3], rtol=1e-5, atol=1e-6)
    assert np.abs(a[3] - b[3]).max() > 1e-4


def test_sites_are_altered_one_by_one_and_together(params, forward):
    example, natural = row(batch(), 3), forward(batch())[3]
    altered = jax.jit(
        lambda names: [
            MODEL.forward_altered(params, example, dict.fromkeys(chosen, uniform), RNG)
            for chosen in ((), *((site,) for site in SITES), SITES)
        ]
    )(0)
    np.testing.assert_allclose(altered[0], natural, rtol=1e-4, atol=1e-5)
    assert all(np.abs(logits - natural).max() > 1e-4 for logits in altered[1:])
    with pytest.raises(ValueError, match="attends at enc/0"):
        MODEL.forward_altered(params, example, {"enc/9": uniform}, RNG)


def test_altering_one_site_is_decode_at_the_altered_attention(params):
    @jax.jit
    def both(example):
        encoded = MODEL.encode(params, MODEL.embed(params, example), site="dec/0/cross")
        even = jnp.where(encoded.mask, 1 / jnp.maximum(encoded.mask.sum(-1, keepdims=True), 1), 0.0)
        altered = MODEL.forward_altered(params, example, {"dec/0/cross": uniform}, RNG)
        return altered, MODEL.decode(params, encoded, even)

    np.testing.assert_allclose(*both(row(batch(), 3)), rtol=1e-4, atol=1e-5)


@pytest.mark.slow  # a program of six sites, each encoded and decoded apart: minutes on a busy machine
def test_deeper_sites_are_cut_where_they_should_be():
    model, example = MODEL.clone(layers=2), row(batch(), 3)
    params = jax.tree.map(lambda a: 2.0 * a, model.init_params(jax.random.key(1), example))
    forward = model.forward(params, example)
    for site in model.sites:
        encoded = model.encode(params, model.embed(params, example), site=site)
        logits = model.decode(params, encoded, model.attend(params, encoded))
        np.testing.assert_allclose(logits, forward, rtol=1e-4, atol=1e-5, err_msg=site)


def test_incremental_writing_is_the_teacher_forced_pass_on_every_prefix(params, forward):
    example = row(batch(), 3)
    source, carry = MODEL.read(params, example, {}, RNG, steps=S + 2)
    step = jax.jit(lambda c, w: MODEL.step(params, source, c, w, {}, RNG))
    for s in range(S):
        carry, logits = step(carry, example.target_ids[s])
        np.testing.assert_allclose(logits, forward(batch())[3, s], rtol=1e-4, atol=1e-5)


def test_incremental_writing_under_uniform_attention_is_the_altered_pass(params):
    even = dict.fromkeys(SITES, uniform)

    @jax.jit
    def both(example):
        source, carry = MODEL.read(params, example, even, RNG, steps=S)
        _, written = jax.lax.scan(
            lambda carry, word: MODEL.step(params, source, carry, word, even, RNG),
            carry,
            example.target_ids[:-1],
        )
        return written, MODEL.forward_altered(params, example, even, RNG)

    np.testing.assert_allclose(*both(row(batch(), 3)), rtol=1e-4, atol=1e-5)


def test_greedy_is_a_beam_of_one_and_an_alteration_changes_what_follows(params):
    steps = S

    @jax.jit
    def texts(example):
        greedy = MODEL.greedy(params, example, RNG, steps=steps)
        beam = MODEL.beam(params, example, {}, RNG, steps=steps, width=1, end=-1)
        changed = MODEL.rollout(params, example, dict.fromkeys(SITES, permuted), RNG, steps=steps)
        ids = jnp.concatenate([example.target_ids[:1], greedy.astype(jnp.int32)])
        return greedy, beam, changed, MODEL.forward(params, example.replace(target_ids=ids)).argmax(-1)

    greedy, beam, changed, likeliest = texts(row(batch(), 3))
    np.testing.assert_array_equal(beam, greedy)
    np.testing.assert_array_equal(likeliest, greedy)
    assert changed.shape == greedy.shape


def test_training_reaches_every_leaf(params):
    from attn_jax.training.objective import Objective, WordLikelihood

    noisy = MODEL.clone(dropout=0.1)
    grads = jax.jit(jax.grad(Objective(noisy, (WordLikelihood(0.1),))))(params, batch(), RNG)
    for path, leaf in jax.tree_util.tree_leaves_with_path(grads):
        assert np.isfinite(leaf).all(), path
        assert np.abs(leaf).max() > 0 or "key" in str(path), path  # a key's bias shifts all scores alike
