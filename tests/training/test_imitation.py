"""Imitation: the grid in one program is each imitator alone; strength buys divergence; it resumes."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from attn_jax import divergences, outputs
from attn_jax import rng as streams
from attn_jax.analyses.imitators import compare
from attn_jax.data.batching import batches, bucketise
from attn_jax.data.epochs import epoch
from attn_jax.training import imitation
from attn_jax.training.imitation import Imitation, imitate
from attn_jax.training.loop import CHUNK, TrainConfig, fit
from attn_jax.training.objective import Objective, Pass
from attn_jax.training.optimiser import Optimiser, PartlyFrozen
from attn_jax.training.step import initialise, run_chunk
from tests.training.test_fit import CONFIG, MODEL, OBJECTIVE, VOCABULARY, texts

SEEDS, STRENGTHS = [0, 1], (0.0, 0.5, 3.0)


def buckets(n, seed=0):
    return bucketise(texts(n, seed), VOCABULARY, 2, ladder=(12,))


@pytest.fixture(scope="module")
def targets():
    return fit(OBJECTIVE, buckets(37), buckets(10, 1), CONFIG, SEEDS, progress=False).params


def imitated(targets, epochs, **options):
    config = TrainConfig(epochs, 4, CONFIG.optimiser)
    return imitate(MODEL, targets, buckets(37), config, SEEDS, STRENGTHS, progress=False, **options)


@pytest.fixture(scope="module")
def imitators(targets):
    return imitated(targets, epochs=25)


def lane(tree, *place):
    return jax.tree.map(lambda a: a[place], tree)


def test_one_lane_is_plain_training_on_its_loss(targets):
    s, k = 1, 2
    target = lane(targets, s)

    class Alone(Objective):
        def __hash__(self):
            return id(self)

    objective = Alone(MODEL, (Imitation(target, STRENGTHS[k]),))
    example = jax.tree.map(lambda a: a[0], buckets(37)[0].rows)
    state = initialise(MODEL, CONFIG.optimiser, example, [SEEDS[s]], None)
    rngs = streams.stream(streams.root(SEEDS[s]), "imitate")[None]
    for number in range(2):
        for chunk in epoch(buckets(37), 4, CHUNK, seeds=[SEEDS[s]], number=number):
            state, _ = run_chunk(
                state,
                chunk.batches,
                jnp.int32(chunk.count),
                rngs,
                objective=objective,
                optimiser=CONFIG.optimiser,
            )
    together = lane(imitated(targets, epochs=2), s, k)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a[0], b, atol=1e-4), state.params, together)


@pytest.mark.parametrize("divergence", [divergences.jsd, divergences.kl])
def test_the_loss_is_tvd_minus_strength_times_the_divergence(targets, divergence):
    example = jax.tree.map(lambda a: jnp.asarray(a[0]), buckets(10, 1)[0].rows)
    mine, told = (MODEL.evidence(lane(targets, s), example) for s in (0, 1))
    seen = Pass(MODEL.embed(lane(targets, 0), example), mine.encoded, mine.alpha, mine.logits)
    term = Imitation(lane(targets, 1), 0.3, divergence)
    loss = term(MODEL, lane(targets, 0), example, seen, streams.root(0))
    tvd = divergences.tvd(outputs.probabilities(mine.logits), outputs.probabilities(told.logits))
    np.testing.assert_allclose(loss, tvd - 0.3 * divergence(mine.alpha, told.alpha), atol=1e-5)


def test_comparison_is_the_divergence_of_two_forward_passes(targets, imitators):
    rows = next(iter(batches(buckets(10, 1)[0], 4)))
    found = compare(imitators, targets, rows, model=MODEL)
    assert found.jsd.shape == (2, 3, 4)
    s, k, b = 1, 0, 2
    mine, told = (
        MODEL.evidence(p, jax.tree.map(lambda a: jnp.asarray(a[b]), rows))
        for p in (lane(imitators, s, k), lane(targets, s))
    )
    np.testing.assert_allclose(found.jsd[s, k, b], divergences.jsd(mine.alpha, told.alpha), atol=1e-6)
    change = divergences.tvd(outputs.probabilities(mine.logits), outputs.probabilities(told.logits))
    np.testing.assert_allclose(found.tvd[s, k, b], change, atol=1e-6)
    assert found.prediction[s, k, b] == outputs.predicted(mine.logits)
    assert found.target_prediction[s, k, b] == outputs.predicted(told.logits)
    np.testing.assert_allclose(found.target_max_attention[s, k, b], told.alpha.max(), atol=1e-6)


def test_strength_buys_divergence_and_none_imitates(targets, imitators):
    parts = [
        compare(imitators, targets, rows, model=MODEL)
        for bucket in buckets(37)
        for rows in batches(bucket, 4)
        if rows.weight.all()
    ]
    jsd, tvd = (np.mean([getattr(part, name).mean(-1) for part in parts], 0) for name in ("jsd", "tvd"))
    assert (jsd[:, 2] > jsd[:, 0] + 0.1).all()
    assert (tvd[:, 0] < 0.3).all()


def test_a_stopped_imitation_goes_on_to_the_same_end(targets, tmp_path):
    whole = imitated(targets, epochs=3)
    imitated(targets, epochs=1, folder=tmp_path / "a")
    resumed = imitated(targets, epochs=3, folder=tmp_path / "a")
    jax.tree.map(np.testing.assert_array_equal, whole, resumed)


def test_frozen_words_stay_and_have_no_moments(tmp_path):
    frozen = PartlyFrozen(learning_rate=0.01, clip=5.0)
    example = jax.tree.map(lambda a: a[0], buckets(37)[0].rows)
    first = initialise(MODEL, frozen, example, SEEDS, None)
    words = first.params["embedding"]["table"]["embedding"]
    assert not any(leaf.shape == words.shape for leaf in jax.tree.leaves(first.opt_state))
    config = TrainConfig(2, 4, frozen)
    fitted, again = (
        fit(OBJECTIVE, buckets(37), buckets(10, 1), config, SEEDS, progress=False, folder=tmp_path / "f")
        for _ in range(2)
    )
    np.testing.assert_array_equal(fitted.params["embedding"]["table"]["embedding"], words)
    moved = fitted.params["decoder"]["dense"]["kernel"] - first.params["decoder"]["dense"]["kernel"]
    assert np.abs(moved).max() > 0
    jax.tree.map(np.testing.assert_array_equal, fitted.params, again.params)


def test_the_clipped_norm_counts_only_what_is_trained():
    params = {"embedding": jnp.ones(2), "decoder": jnp.array([0.0, 0.0])}
    grads = {"embedding": jnp.full(2, 1e6), "decoder": jnp.array([3.0, 4.0])}
    transform = PartlyFrozen(l2=0.0, clip=5.0).build()
    whole = Optimiser(l2=0.0, clip=5.0).build()
    moved, _ = transform.update(grads, transform.init(params), params)
    rest, pulled = ({"decoder": tree["decoder"]} for tree in (params, grads))
    alone, _ = whole.update(pulled, whole.init(rest), rest)
    np.testing.assert_array_equal(moved["embedding"], 0)
    np.testing.assert_allclose(moved["decoder"], alone["decoder"], rtol=1e-6)


def test_what_is_watched_joins_the_history():
    seen = []

    def watch(params):
        seen.append(params)
        return {"norm": np.array([1.5, 2.5])}

    history = fit(OBJECTIVE, buckets(37), buckets(10, 1), CONFIG, SEEDS, progress=False, watch=watch).history
    assert [row["norm"] for row in history] == [1.5, 2.5] * CONFIG.epochs
    assert len(seen) == CONFIG.epochs


def test_the_second_epoch_compiles_nothing(targets):
    imitation.run_chunk.clear_cache()
    imitated(targets, epochs=2)
    assert imitation.run_chunk._cache_size() == len(buckets(37))
