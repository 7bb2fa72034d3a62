"""Training: equal to a plain loop, seeds in one program equal to seeds alone, resumable, compiled once."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from attn_jax import rng as streams
from attn_jax.data.batching import bucketise, fill
from attn_jax.data.epochs import epoch
from attn_jax.data.examples import TextExample
from attn_jax.data.vocabulary import Vocabulary
from attn_jax.errors import UserError
from attn_jax.models.layers import word_vectors
from attn_jax.models.presets import Sizes, classifier
from attn_jax.training import loop, step
from attn_jax.training.loop import CHUNK, TrainConfig, fit
from attn_jax.training.objective import Likelihood, Objective
from attn_jax.training.optimiser import RELEASED, Optimiser
from attn_jax.training.step import initialise
from experiments import variants
from tests.models import families

CONFIG = TrainConfig(epochs=3, batch_size=4, optimiser=Optimiser(learning_rate=0.01))
TINY = Sizes(embedding=4, bilstm=3)


def texts(n, seed=0):
    """Sentences of plain words; the label is whether `good` is among them."""
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(n):
        words = list(rng.choice(["a", "film", "is", "the"], rng.integers(2, 9)))
        words[0] = "good" if i % 2 else "bad"
        rows.append(TextExample(str(i), tuple(words), i % 2))
    return rows


VOCABULARY = Vocabulary.build(example.tokens for example in texts(50))
MODEL = classifier("bilstm", "additive", words=len(VOCABULARY), classes=2, sizes=TINY)
OBJECTIVE = Objective(MODEL)


def buckets(n, seed=0):
    return bucketise(texts(n, seed), VOCABULARY, 2, ladder=(6, 12))


def trained(seeds, n=37, config=CONFIG, **options):
    return fit(OBJECTIVE, buckets(n), buckets(10, 1), config, seeds, progress=False, **options)


def assert_trees_close(a, b, **tolerance):
    jax.tree.map(lambda x, y: np.testing.assert_allclose(x, y, **tolerance), a, b)


def test_the_second_epoch_compiles_nothing():
    step.run_chunk.clear_cache()
    seen = []
    trained([0], watch=lambda _: seen.append(step.run_chunk._cache_size()) or {})
    assert seen == [len(buckets(37))] * CONFIG.epochs


def test_an_epoch_is_a_plain_optax_loop():
    seed, train = 5, buckets(37)
    example = jax.tree.map(lambda a: a[0], train[0].rows)
    params = initialise(MODEL, CONFIG.optimiser, example, [seed], None).params
    params = jax.tree.map(lambda a: a[0], params)
    transform = optax.adam(0.01)
    state, l2 = transform.init(params), CONFIG.optimiser.l2
    rng, done = streams.stream(streams.root(seed), "train"), 0
    gradient = jax.jit(jax.grad(OBJECTIVE))
    for number in range(2):
        for chunk in epoch(train, 4, CHUNK, seeds=[seed], number=number):
            for k in range(chunk.count):
                rows = jax.tree.map(lambda a, k=k: a[0, k], chunk.batches)
                grads = gradient(params, rows, jax.random.fold_in(rng, done))
                grads = jax.tree.map(lambda g, p: g + l2 * p, grads, params)
                updates, state = transform.update(grads, state)
                params, done = optax.apply_updates(params, updates), done + 1
    config = TrainConfig(epochs=2, batch_size=4, optimiser=CONFIG.optimiser)
    # Dev scores may choose an earlier epoch; the last state is what the loop above ends in.
    states = []
    original, loop.keep_best = loop.keep_best, lambda state, *_: states.append(state) or state
    try:
        fit(OBJECTIVE, train, buckets(10, 1), config, [seed], progress=False)
    finally:
        loop.keep_best = original
    assert_trees_close(jax.tree.map(lambda a: a[0], states[-1].params), params, atol=1e-5)


@pytest.mark.parametrize("variant", ["base", "mlm"])
def test_rows_that_only_fill_a_batch_change_no_gradient(variant):
    model = classifier("bilstm", "additive", words=len(VOCABULARY), classes=2, sizes=Sizes(6, 3))
    objective = variants.named(variant).objective(model, 1.0)
    rows = buckets(37)[0]
    params = model.init_params(streams.root(0), jax.tree.map(lambda a: a[0], rows.rows))
    gradient = jax.jit(jax.grad(objective))
    few, many = (rows.take(fill(np.arange(2), size)) for size in (2, 32))
    found, wanted = (gradient(params, batch, streams.root(3)) for batch in (few, many))
    assert_trees_close(found, wanted, atol=1e-6)


def test_seeds_in_one_program_are_seeds_alone():
    together = trained([0, 1])
    for s in (0, 1):
        alone = trained([s])
        assert_trees_close(
            jax.tree.map(lambda a, s=s: a[s], together.params),
            jax.tree.map(lambda a: a[0], alone.params),
            atol=1e-4,
        )
    first, second = (jax.tree.leaves(together.params)[0][s] for s in (0, 1))
    assert np.abs(first - second).max() > 1e-3


def test_best_dev_epoch_is_kept_and_it_learns():
    found = trained([0, 1, 2])
    scores = np.array([row["dev_roc_auc"] for row in found.history]).reshape(3, 3)
    assert scores.max(0).min() > 0.95
    rngs = jnp.stack([streams.stream(streams.root(seed), "train") for seed in (0, 1, 2)])
    _, kept = loop.evaluate(MODEL, found.params, buckets(10, 1), 4, rngs)
    np.testing.assert_allclose(kept, scores.max(0), atol=1e-6)


def test_the_last_epoch_is_kept_if_asked_for_whatever_its_score():
    def judged(change):
        scores = iter(range(0, 9 * change, change))
        return lambda *_: ("score", np.full(2, next(scores), np.float32))

    first, best = (trained([0, 1], judge=judged(change)).params for change in (-1, 1))
    last = trained([0, 1], judge=judged(-1), config=dataclasses.replace(CONFIG, last=True))
    assert_trees_close(last.params, best, rtol=0, atol=0)
    assert [row["dev_score"] for row in last.history] == [0, 0, -1, -1, -2, -2]
    assert max(jax.tree.leaves(jax.tree.map(lambda a, b: np.abs(a - b).max(), first, best))) > 1e-3


def test_a_stopped_run_goes_on_to_the_same_end(tmp_path, monkeypatch):
    whole = trained([0, 1])
    original = loop._train_epoch

    def stops_in_the_third(*args):
        if args[4] == 2:
            raise KeyboardInterrupt
        return original(*args)

    monkeypatch.setattr(loop, "_train_epoch", stops_in_the_third)
    with pytest.raises(KeyboardInterrupt):
        trained([0, 1], folder=tmp_path / "training")
    monkeypatch.setattr(loop, "_train_epoch", original)
    resumed = trained([0, 1], folder=tmp_path / "training")
    assert resumed.history == whole.history
    assert_trees_close(resumed.params, whole.params, rtol=0, atol=0)


def test_a_damaged_checkpoint_is_named(tmp_path):
    trained([0], folder=tmp_path / "training")
    for path in (tmp_path / "training").rglob("*"):
        if path.is_file() and path.name not in ("_CHECKPOINT_METADATA", "_METADATA"):
            path.write_bytes(path.read_bytes()[:5])
    with pytest.raises(UserError, match=r"training/2 cannot be read.*delete that folder"):
        trained([0], folder=tmp_path / "training")


def test_more_instances_recompile_nothing():
    trained([0], n=37)
    before = step.run_chunk._cache_size(), step.predict._cache_size()
    trained([0], n=61)
    assert (step.run_chunk._cache_size(), step.predict._cache_size()) == before


def test_word_vectors_replace_what_is_known_and_the_rest_is_drawn():
    table = np.full((len(VOCABULARY), 4), np.nan, np.float32)
    table[5] = [1, 2, 3, 4]
    example = jax.tree.map(lambda a: a[0], buckets(10)[0].rows)
    plain, given = (
        initialise(MODEL, RELEASED, example, [0, 1], t).params for t in (None, jnp.asarray(table))
    )
    drawn, found = (p["embedding"]["table"]["embedding"] for p in (plain, given))
    np.testing.assert_array_equal(found[:, 5], [[1, 2, 3, 4]] * 2)
    np.testing.assert_array_equal(np.delete(found, 5, 1), np.delete(drawn, 5, 1))


def test_word_vectors_of_the_question_start_from_the_same_file():
    table = np.full((families.WORDS, families.E), np.nan, np.float32)
    table[5] = [1, 2, 3, 4]
    example = families.row(families.batch(), 0)
    model = families.MODELS["released-pair-bilstm-additive"]
    params = initialise(model, RELEASED, example, [0, 1], jnp.asarray(table)).params
    passage, question = (params[name]["table"]["embedding"] for name in word_vectors(params))
    np.testing.assert_array_equal(passage, question)
    np.testing.assert_array_equal(question[:, 5], [[1, 2, 3, 4]] * 2)
    assert not np.isnan(question).any()


def test_a_loss_that_is_not_finite_is_one_sentence():
    config = TrainConfig(epochs=1, batch_size=4, optimiser=Optimiser(learning_rate=float("inf")))
    with pytest.raises(UserError, match="loss is not finite in epoch 0"):
        fit(OBJECTIVE, buckets(37), buckets(10, 1), config, [0], progress=False)


def test_released_settings_spare_attention_from_l2_and_weigh_positives():
    params = {"attention": {"w": jnp.ones(2)}, "decoder": {"w": jnp.ones(2)}}
    zero = jax.tree.map(jnp.zeros_like, params)
    transform = RELEASED.build()
    updates, _ = transform.update(zero, transform.init(params), params)
    np.testing.assert_array_equal(updates["attention"]["w"], 0)
    assert (updates["decoder"]["w"] < 0).all()
    weighted = Objective(MODEL, (Likelihood(3.0),))
    rows = jax.tree.map(lambda a: a[:4], buckets(37)[0].rows)
    params = MODEL.init_params(jax.random.key(0), jax.tree.map(lambda a: a[0], rows))
    positive, negative = (rows.replace(label=np.full(4, k, np.int32)) for k in (1, 0))
    rng = jax.random.key(0)
    np.testing.assert_allclose(
        weighted(params, positive, rng), 3 * OBJECTIVE(params, positive, rng), rtol=1e-5
    )
    np.testing.assert_allclose(weighted(params, negative, rng), OBJECTIVE(params, negative, rng), rtol=1e-5)
