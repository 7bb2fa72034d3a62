"""Laws of the seam for generation: alpha [S, T], position-wise decode, rollout and incremental writing."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from attn_jax.models import attentions, encoders
from attn_jax.models.alterations import ALTERATIONS, permuted, uniform
from attn_jax.models.layers import TokenEmbedding
from attn_jax.models.seq2seq import BlankStart, Seq2Seq
from attn_jax.training.objective import Objective, WordLikelihood
from tests.models import families
from tests.models.families import T, row

S, V = 4, 9
TARGETS = np.array(
    [0, 2, 3, S + 1]
)  # SOS and EOS included: an all-padding row, EOS alone, some, a full bucket
RNG = {"attention": jax.random.key(0)}


def batch(length=T, steps=S):
    ids = np.random.default_rng(5).integers(4, V, (4, S + 1)).astype(np.int32)
    valid = np.arange(S + 1)[None] < TARGETS[:, None]
    ids[:, 0] = 2
    ids[np.arange(4), np.maximum(TARGETS - 1, 0)] = 3
    grow = ((0, 0), (0, steps - S))
    return families.batch(length).replace(
        target_ids=np.pad(ids * valid, grow), target_valid=np.pad(valid, grow), given=None
    )


def model_with(attention, family=Seq2Seq):
    return family(
        TokenEmbedding(families.WORDS, 3),
        TokenEmbedding(V, 3),
        encoders.BiLSTM(2),
        attention,
        hidden=4,
        words=V,
    )


MODELS = {
    "bahdanau": model_with(attentions.Additive()),
    "luong": model_with(attentions.Unscaled()),
    "random": model_with(attentions.Random()),
    "blank": model_with(attentions.Additive(), BlankStart),
}
_PARAMS = {}


def params_of(name):
    if name not in _PARAMS:
        drawn = MODELS[name].init_params(jax.random.key(1), row(batch(), 3))
        _PARAMS[name] = jax.tree.map(lambda a: 3.0 * a, drawn)
    return _PARAMS[name]


def evidence(model, params, rows):
    return jax.jit(jax.vmap(lambda e: model.evidence(params, e, rngs=RNG)))(rows)


@pytest.fixture(scope="module", params=MODELS)
def seen(request):
    model, params = MODELS[request.param], params_of(request.param)
    return model, params, evidence(model, params, batch())


def test_composition_is_forward(seen):
    model, params, found = seen
    forward = jax.jit(jax.vmap(lambda e: model.forward(params, e, rngs=RNG)))(batch())
    called = jax.jit(jax.vmap(lambda e: model.apply({"params": params}, e, rngs=RNG)))(batch())
    fused = jax.jit(jax.vmap(lambda e: model.traverse(params, e, rngs=RNG)))(batch())
    assert forward.shape == (4, S, V)
    for logits in (forward, called, fused.logits):
        np.testing.assert_allclose(found.logits, logits, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(found.alpha, fused.alpha, rtol=1e-5, atol=1e-6)


def test_alpha_sums_to_one_for_every_word_to_be_written(seen):
    _, _, found = seen
    real = np.asarray(batch().target_valid)[:, 1:]
    np.testing.assert_allclose(found.alpha.sum(-1), real, atol=1e-6)
    assert (np.asarray(found.alpha)[~np.asarray(found.encoded.mask)] == 0).all()


def test_padding_of_source_and_target_never_matters(seen):
    model, params, found = seen
    longer = evidence(model, params, batch(T + 3, S + 2))
    real = np.asarray(batch().target_valid)[:, 1:]
    np.testing.assert_allclose(longer.alpha[:, :S, :T], found.alpha, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(longer.logits[:, :S][real], found.logits[real], rtol=1e-4, atol=1e-5)


def test_vmap_is_the_loop_and_token_logits_are_one_hot(seen):
    model, params, found = seen
    one = jax.jit(lambda e: model.evidence(params, e, rngs=RNG))(row(batch(), 3))
    np.testing.assert_allclose(one.logits, found.logits[3], rtol=1e-5, atol=1e-5)
    alpha = one.alpha.at[2].set(jnp.eye(T)[1])
    changed = model.decode(params, one.encoded, alpha)
    np.testing.assert_allclose(changed[2], one.token_logits[2, 1], rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(changed[3], one.logits[3], rtol=1e-5, atol=1e-5)  # the history is natural


@pytest.mark.parametrize("name", ["bahdanau", "luong"])
def test_incremental_writing_is_the_teacher_forced_pass_on_every_prefix(name):
    model, params, example = MODELS[name], params_of(name), row(batch(), 3)
    source, carry = model.read(params, example, {}, RNG["attention"], steps=S)
    step = jax.jit(lambda c, w: model.step(params, source, c, w, {}, RNG["attention"]))
    forward = model.forward(params, example)
    for s in range(S):
        carry, logits = step(carry, example.target_ids[s])
        np.testing.assert_allclose(logits, forward[s], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["bahdanau", "luong"])
def test_greedy_words_are_the_likeliest_given_themselves(name):
    model, params, example = MODELS[name], params_of(name), row(batch(), 3)
    written = model.greedy(params, example, RNG["attention"], steps=S)
    own = example.replace(target_ids=jnp.concatenate([example.target_ids[:1], written.astype(jnp.int32)]))
    np.testing.assert_array_equal(model.forward(params, own).argmax(-1), written)


def test_a_beam_of_width_one_is_greedy():
    model, params, example = MODELS["bahdanau"], params_of("bahdanau"), row(batch(), 3)
    greedy = np.asarray(model.greedy(params, example, RNG["attention"], steps=6))
    end = int(greedy[3])  # so that one of the texts ends before the last step
    found = np.asarray(model.beam(params, example, {}, RNG["attention"], steps=6, width=1, end=end))
    stop = greedy.tolist().index(end)
    np.testing.assert_array_equal(found[: stop + 1], greedy[: stop + 1])
    assert (found[stop:] == end).all()


@pytest.mark.parametrize("alteration", ["uniform", "random", "permute"])
def test_a_beam_of_width_one_is_the_rollout_under_altered_attention(alteration):
    model, params, example = MODELS["bahdanau"], params_of("bahdanau"), row(batch(), 3)
    altered = {"source": ALTERATIONS[alteration]}
    found = model.beam(params, example, altered, RNG["attention"], steps=6, width=1, end=-1)
    np.testing.assert_array_equal(found, model.rollout(params, example, altered, RNG["attention"], steps=6))


def test_a_beam_as_wide_as_the_tree_finds_the_likeliest_text():
    model, params, example = MODELS["luong"], params_of("luong"), row(batch(), 3)
    end, steps = 3, 2
    found = model.beam(params, example, {}, RNG["attention"], steps=steps, width=V, end=end)
    texts = np.array([(a, b) for a in range(V) for b in range(V) if a != end or b == end])
    lengths = np.where(texts[:, 0] == end, 1, 2)
    ids = np.concatenate([np.full((len(texts), 1), example.target_ids[0]), texts], 1)
    logits = jax.jit(jax.vmap(lambda t: model.forward(params, example.replace(target_ids=t))))(
        np.pad(ids, ((0, 0), (0, S - steps)))
    )
    chosen = np.take_along_axis(jax.nn.log_softmax(logits)[:, :steps], texts[..., None], 2)[..., 0]
    score = np.where(lengths == 1, chosen[:, 0], chosen.sum(1) / 2)
    np.testing.assert_array_equal(found, texts[score.argmax()])


def test_a_model_of_random_attention_writes_with_other_draws_at_every_word_and_seed():
    model, params, example = MODELS["random"], params_of("random"), row(batch(), 3)
    drawn = []

    def seen(rng, alpha, mask):
        jax.debug.callback(lambda a: drawn.append(np.asarray(a)), alpha, ordered=True)
        return alpha

    for seed in range(2):
        model.rollout(params, example, {"source": seen}, jax.random.key(seed), steps=2).block_until_ready()
    jax.effects_barrier()
    assert len({alpha.tobytes() for alpha in drawn}) == 4


def test_rollout_carries_an_alteration_into_the_history():
    model, params, example = MODELS["bahdanau"], params_of("bahdanau"), row(batch(), 3)
    found = model.rollout(params, example, {"source": uniform}, jax.random.key(0), steps=6)
    even = {"source": lambda rng, alpha, mask: mask / mask.sum()}
    source, start = model.read(params, example, even, RNG["attention"], steps=6)
    step = jax.jit(lambda c, w: model.step(params, source, c, w, even, RNG["attention"]))
    carry, word = start, example.target_ids[0]
    for expected in found:
        carry, logits = step(carry, word)
        word = logits.argmax()
        assert word == expected
    position_wise = model.forward_altered(params, example, {"source": uniform}, jax.random.key(0))
    carry, states = start, []
    for s in range(S):
        carry, logits = step(carry, example.target_ids[s])
        states.append(logits)
    np.testing.assert_allclose(position_wise[0], states[0], rtol=1e-4, atol=1e-5)  # no history yet
    assert np.abs(position_wise[-1] - states[-1]).max() > 1e-3


def test_permuting_every_word_of_a_target_is_one_alteration():
    model, params, example = MODELS["bahdanau"], params_of("bahdanau"), row(batch(), 3)
    found = model.forward_altered(params, example, {"source": permuted}, jax.random.key(0))
    assert found.shape == (S, V)
    assert np.abs(found - model.forward(params, example)).max() > 1e-3


@pytest.mark.parametrize("name", ["bahdanau", pytest.param("luong", marks=pytest.mark.slow)])
def test_training_moves_every_leaf_and_overfits(name):
    model, rows, transform = MODELS[name], batch(), optax.adam(0.02)
    objective = Objective(model, (WordLikelihood(),))

    @jax.jit
    def train(params):
        def step(carry, rng):
            params, state = carry
            loss, grads = jax.value_and_grad(objective)(params, rows, rng)
            updates, state = transform.update(grads, state)
            return (optax.apply_updates(params, updates), state), (loss, grads)

        rngs = jax.random.split(jax.random.key(0), 200)
        _, (losses, grads) = jax.lax.scan(step, (params, transform.init(params)), rngs)
        return losses, jax.tree.map(lambda g: g[0], grads)

    losses, grads = train(jax.tree.map(lambda a: a / 3.0, params_of(name)))  # from the usual start
    for path, leaf in jax.tree_util.tree_leaves_with_path(grads):
        assert np.isfinite(leaf).all(), path
        assert np.abs(leaf).max() > 0, path
    assert losses[-1] < 0.05 < losses[0]


@pytest.mark.parametrize(("name", "blank"), [("blank", True), ("bahdanau", False)])
def test_without_a_start_the_source_is_known_by_attention_alone(name, blank):
    model, params, example = MODELS[name], params_of(name), row(batch(), 3)
    other = example.replace(ids=np.where(example.ids > 3, 4 + (example.ids - 3) % (families.WORDS - 4), 0))
    first, second = (model.evidence(params, e, rngs=RNG).encoded for e in (example, other))
    starts = [np.asarray(encoded.carry.before[1][0]) for encoded in (first, second)]
    assert np.array_equal(*starts) == blank
    assert blank == (not starts[0].any())
