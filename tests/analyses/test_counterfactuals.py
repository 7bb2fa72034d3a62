"""Permutation and the adversarial search: their laws, and the certificate that no search may beat."""

import dataclasses
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from attn_jax import certify, divergences, masking, outputs
from attn_jax.analyses import adversary as search
from attn_jax.analyses.adversary import Search, adversary
from attn_jax.analyses.permutation import permutation
from attn_jax.models.alterations import permute


def case(seed, length=6, size=9, classes=1):
    rng = np.random.default_rng(seed)
    mask = np.zeros(size, bool)
    mask[1 : 1 + length] = True
    alpha = np.zeros(size, np.float32)
    alpha[mask] = rng.dirichlet(np.full(length, 0.4))
    logits = (2 * rng.normal(size=(size, classes))).astype(np.float32)
    return jnp.asarray(alpha), jnp.asarray(logits), jnp.asarray(mask)


def test_permutations_rearrange_the_attendable_weights_only():
    alpha, _, mask = case(0)
    found = np.asarray(permute(jax.random.key(0), alpha, mask, 200))
    np.testing.assert_array_equal(found[:, ~np.asarray(mask)], 0)
    np.testing.assert_allclose(np.sort(found[:, np.asarray(mask)]), np.sort(alpha[mask])[None].repeat(200, 0))


def test_every_permutation_is_about_equally_likely():
    alpha, mask = jnp.array([0.0, 0.1, 0.3, 0.6]), jnp.array([False, True, True, True])
    found = np.asarray(permute(jax.random.key(1), alpha, mask, 6000))
    counts = [
        (np.abs(found[:, 1:] - np.array(order)) < 1e-6).all(1).sum()
        for order in itertools.permutations([0.1, 0.3, 0.6])
    ]
    assert sum(counts) == 6000
    assert max(abs(c - 1000) for c in counts) < 120  # four standard deviations


def test_median_over_draws_is_the_plain_loop_and_padding_invariant():
    alpha, logits, mask = case(2)
    found = permutation(lambda a: a @ logits, alpha, mask, jax.random.key(0), samples=20)
    before = np.asarray(outputs.probabilities(alpha @ logits))
    moved = [
        np.abs(np.asarray(outputs.probabilities(a @ logits)) - before).sum() / 2
        for a in permute(jax.random.key(0), alpha, mask, 20)
    ]
    np.testing.assert_allclose(found, np.median(moved), atol=1e-6)
    pad = lambda a: jnp.pad(a, [(0, 4)] + [(0, 0)] * (a.ndim - 1))  # noqa: E731
    longer = permutation(lambda a: a @ pad(logits), pad(alpha), pad(mask), jax.random.key(0), samples=20)
    np.testing.assert_allclose(found, longer, atol=1e-6)


@pytest.mark.parametrize("released", [False, True])
@pytest.mark.parametrize("restarts", [1, 4, 5])
def test_the_search_climbs_the_distances_of_its_definition(restarts, released):
    """By ratios, several a logarithm; here by the slope of JSD over all ordered pairs."""
    alpha, _, mask = case(11)
    scores = 3 * jax.random.normal(jax.random.key(0), (restarts, alpha.shape[0]))
    share = 1 / restarts**2 if released else 0.5 / max(restarts * (restarts - 1), 1)

    def plain(scores):
        found = masking.softmax(scores, jnp.broadcast_to(mask, scores.shape))
        away = sum(divergences.jsd(one, alpha) for one in found)
        return away + share * sum(divergences.jsd(one, other) for one in found for other in found)

    found = masking.softmax(scores, jnp.broadcast_to(mask, scores.shape))
    slope = search._slope(found, alpha, released)
    slope = found * (slope - (found * slope).sum(1, keepdims=True))
    np.testing.assert_allclose(slope, jax.grad(plain)(scores), atol=1e-6)
    assert jnp.abs(slope).max() > 1e-2


@pytest.mark.parametrize("length", [0, 1])
def test_one_or_no_token_cannot_be_moved(length):
    alpha, logits, mask = case(3, length=max(length, 1))
    if length == 0:
        alpha, mask = jnp.zeros_like(alpha), jnp.zeros_like(mask)
    decode = lambda a: a @ logits  # noqa: E731
    assert permutation(decode, alpha, mask, jax.random.key(0)) == 0
    found = adversary(decode, alpha, mask, 0.01, jax.random.key(0), Search(steps=20))
    np.testing.assert_allclose(found.jsd, 0, atol=1e-6)
    np.testing.assert_allclose(found.alpha, alpha, atol=1e-6)


@pytest.mark.parametrize("released", [False, True])
@pytest.mark.parametrize("classes", [1, 3])
def test_search_is_feasible_and_never_beats_the_certificate(released, classes):
    cases = [case(seed, classes=classes) for seed in range(40)]
    alpha, logits, mask = (jnp.stack(parts) for parts in zip(*cases, strict=True))
    rngs = jax.random.split(jax.random.key(0), 40)

    @jax.jit
    @jax.vmap
    def both(alpha, logits, mask, rng):
        found = adversary(lambda a: a @ logits, alpha, mask, 0.05, rng, Search(released=released))
        return found, certify.max_jsd(alpha, logits, mask, 0.05)

    found, exact = both(alpha, logits, mask, rngs)
    after = outputs.probabilities(jnp.einsum("bt,btc->bc", found.alpha, logits))
    before = outputs.probabilities(jnp.einsum("bt,btc->bc", alpha, logits))
    assert (divergences.tvd(after, before) <= 0.05 + 1e-6).all()
    np.testing.assert_allclose(
        found.jsd, np.where(found.feasible, divergences.jsd(found.alpha, alpha), 0), atol=1e-6
    )
    assert (found.jsd <= exact.upper_bound + 1e-6).all()
    assert found.feasible.mean() > 0.5
    assert found.jsd.mean() > 0.1


def test_search_finds_nothing_where_nothing_is_near():
    alpha, logits, mask = case(0)
    found = adversary(lambda a: a @ logits, alpha, mask, -1.0, jax.random.key(0), Search(steps=10))
    assert not found.feasible
    assert found.jsd == 0
    np.testing.assert_array_equal(found.alpha, alpha)


def plain_search(logits, alpha, epsilon, start, settings):
    """Alg. 3 from its text, nothing masked: JSD over all pairs, then the farthest feasible distribution."""
    k, before = settings.restarts, outputs.probabilities(alpha @ logits)

    def changes(found):
        return jnp.stack([divergences.tvd(outputs.probabilities(one @ logits), before) for one in found])

    def loss(scores):
        found = jax.nn.softmax(scores)
        away = sum(divergences.jsd(one, alpha) for one in found)
        pairs = sum(divergences.jsd(found[i], found[j]) for i, j in itertools.combinations(range(k), 2))
        over = jnp.maximum(changes(found) - epsilon, 0).sum()
        if settings.released:
            return settings.penalty * over - away - 2 * pairs / k**2
        return settings.penalty / k * over - away - pairs / max(k * (k - 1), 1)

    def step(_, carry):
        scores, state = carry
        updates, state = transform.update(jax.grad(loss)(scores), state)
        return scores + updates, state

    transform = (optax.amsgrad if settings.released else optax.adam)(settings.learning_rate)
    scores, _ = jax.lax.fori_loop(0, settings.steps, step, (start, transform.init(start)))
    found = jax.nn.softmax(scores)
    return found, changes(found), jax.vmap(divergences.jsd, (0, None))(found, alpha)


@pytest.mark.parametrize(("released", "restarts"), [(False, 1), (False, 3), (True, 3)])
def test_the_search_is_the_plain_algorithm(released, restarts):
    settings = Search(restarts=restarts, penalty=20.0, steps=30, learning_rate=0.1, released=released)
    rows, epsilon = [case(20 + seed) for seed in range(12)], 0.08
    alpha, logits, mask = (jnp.stack(parts) for parts in zip(*rows, strict=True))
    rngs, real = jax.random.split(jax.random.key(0), 12), np.asarray(mask[0])

    def ours(alpha, logits, mask, rng):
        return adversary(lambda a: a @ logits, alpha, mask, epsilon, rng, settings)

    def plain(alpha, logits, rng):
        start = settings.spread * jax.random.normal(rng, (len(real), restarts)).T[:, real]
        return plain_search(logits[real], alpha[real], epsilon, start, settings)

    found = jax.jit(jax.vmap(ours))(alpha, logits, mask, rngs)
    points, change, away = (np.asarray(part) for part in jax.jit(jax.vmap(plain))(alpha, logits, rngs))
    feasible = change <= epsilon
    np.testing.assert_array_equal(found.feasible, feasible.any(-1))
    assert feasible.any(-1).sum() > 0
    assert not feasible.all()
    for row in range(12):
        best = np.where(feasible[row], away[row], -1).argmax()
        some = feasible[row].any()
        np.testing.assert_allclose(found.jsd[row], away[row, best] if some else 0, atol=1e-4)
        expected = points[row, best] if some else alpha[row][real]
        np.testing.assert_allclose(found.alpha[row][real], expected, atol=1e-3)


def test_the_settings_are_the_papers():
    """Jain & Wallace (2019), Alg. 3 and appendix C: k = 5, lambda = 500, 500 steps; the rest as released."""
    assert dataclasses.asdict(Search()) == {
        "restarts": 5,
        "penalty": 500.0,
        "steps": 500,
        "learning_rate": 0.01,
        "spread": 3.0,
        "released": False,
    }


def test_a_hundred_permutations_are_drawn():
    alpha, logits, mask = case(2)
    decode = lambda a: a @ logits  # noqa: E731
    asked = permutation(decode, alpha, mask, jax.random.key(5), samples=100)
    assert permutation(decode, alpha, mask, jax.random.key(5)) == asked
    assert permutation(decode, alpha, mask, jax.random.key(5), samples=101) != asked
