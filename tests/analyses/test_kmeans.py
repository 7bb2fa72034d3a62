"""Clusters beside scikit-learn's on the same points, and mutual information that is known."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from sklearn.cluster import MiniBatchKMeans
from sklearn.metrics import mutual_info_score

from attn_jax.analyses import mutual_information as mi
from attn_jax.analyses.kmeans import nearest, plus_plus, refine, squared_distances
from attn_jax.analyses.mutual_information import Clustering, discretise, information, mutual_information

RNG = jax.random.key(0)


def overlapping(n=4000, seed=0):
    """Thirty clouds of unlike sizes in eight dimensions, close enough to overlap."""
    rng = np.random.default_rng(seed)
    which = rng.choice(30, n, p=np.arange(1, 31) / 465)
    return (rng.normal(size=(30, 8))[which] * 2 + rng.normal(size=(n, 8))).astype(np.float32), which


def inertia(points, labels):
    return sum(((points[labels == k] - points[labels == k].mean(0)) ** 2).sum() for k in np.unique(labels))


def test_distances_and_nearest_are_brute_force():
    a, b = np.random.default_rng(1).normal(size=(2, 7, 3)).astype(np.float32)
    brute = ((a[:, None] - b[None]) ** 2).sum(-1)
    np.testing.assert_allclose(squared_distances(jnp.asarray(a), jnp.asarray(b)), brute, atol=1e-5)
    np.testing.assert_array_equal(nearest(jnp.asarray(b), jnp.asarray(a)), brute.argmin(1))


def test_first_centres_cover_far_apart_clouds():
    rng = np.random.default_rng(2)
    corners = np.array([[0, 0], [100, 0], [0, 100], [100, 100]], np.float32)
    points = np.repeat(corners, [500, 3, 3, 3], axis=0) + rng.normal(size=(509, 2)).astype(np.float32)
    centres = np.asarray(plus_plus(RNG, jnp.asarray(points), 4))
    assert {tuple(np.round(c / 100)) for c in centres} == {(0, 0), (1, 0), (0, 1), (1, 1)}


def test_refining_is_a_running_mean():
    centres = jnp.array([[0.0, 0.0], [10.0, 10.0], [99.0, 99.0]])
    batches = np.random.default_rng(3).normal(size=(5, 6, 2)).astype(np.float32)
    batches[:, 3:] += 10
    found = refine(centres, jnp.asarray(batches))
    expected = [batches[:, :3].reshape(-1, 2).mean(0), batches[:, 3:].reshape(-1, 2).mean(0), [99, 99]]
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_clusters_are_as_tight_as_scikit_learns():
    points, _ = overlapping()
    ours = discretise(RNG, points, Clustering(clusters=30, batch=100, steps=300))
    theirs = [
        MiniBatchKMeans(30, batch_size=100, n_init=1, random_state=seed).fit(points).labels_
        for seed in range(5)
    ]
    assert inertia(points, ours) < 1.02 * np.mean([inertia(points, labels) for labels in theirs])


def test_information_is_scikit_learns_on_the_same_points():
    points, _ = overlapping()
    states = (0.7 * points + np.random.default_rng(4).normal(size=points.shape)).astype(np.float32)
    ours = [information(jax.random.key(s), points, states, Clustering(30, 100, 300)) for s in range(3)]
    theirs = [
        mutual_info_score(
            *(
                MiniBatchKMeans(30, batch_size=100, n_init=1, random_state=seed).fit(side).labels_
                for side in (points, states)
            )
        )
        for seed in range(3)
    ]
    assert np.mean(ours) == pytest.approx(np.mean(theirs), abs=0.1)


def test_labels_give_scikit_learns_information():
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 9, 500), rng.integers(3, 40, 500)
    assert mutual_information(a, b) == pytest.approx(mutual_info_score(a, b), abs=1e-12)
    assert mutual_information(a, a * 7 + 2) == pytest.approx(mutual_info_score(a, a), abs=1e-12)


def test_a_case_with_known_information():
    """Words of known frequency; states see only which pair a word belongs to, so I = H(pair)."""
    rng = np.random.default_rng(6)
    share = 1 / np.arange(1, 21)
    word = rng.choice(20, 20_000, p=share / share.sum())
    table = rng.normal(size=(20, 16)).astype(np.float32)
    states = rng.normal(size=(10, 16)).astype(np.float32)[word // 2]
    states += 0.01 * rng.normal(size=states.shape).astype(np.float32)
    pairs = np.bincount(word // 2) / len(word)
    entropy = -(pairs * np.log(pairs)).sum()
    found = information(RNG, table[word], states, Clustering(clusters=60, batch=100, steps=200))
    assert found == pytest.approx(entropy, abs=0.01)
    shuffled = rng.permutation(states)
    assert information(RNG, table[word], shuffled, Clustering(60, 100, 200)) < 0.05


def test_more_points_recompile_nothing():
    points, _ = overlapping(300)
    settings = Clustering(clusters=5, batch=10, steps=3)
    discretise(RNG, points, settings)
    before = mi._centres._cache_size(), mi._nearest._cache_size()
    assert discretise(RNG, overlapping(777)[0], settings).shape == (777,)
    assert (mi._centres._cache_size(), mi._nearest._cache_size()) == before
