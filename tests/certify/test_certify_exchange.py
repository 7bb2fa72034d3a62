"""Exchanging tokens and token pairs against plain enumeration in float64."""

import itertools

import jax.numpy as jnp
import numpy as np
import pytest
from certify_cases import cases, garbage_padding, jsd, moved, vectorised

from attn_jax.certify import edges, exchange, vertices

LENGTH, PADDED = 8, 10
VERTEX = vectorised(exchange.farthest_vertex, 0, 0, 0)
PAIR = vectorised(edges.farthest_pair, 0, 0, 0, None)


def equations(seed, count, rows):
    """Mass 1 and `rows` linear functions of 8 tokens, then two places of padding."""
    alpha, logits, mask = cases(seed, count, LENGTH, rows)
    alpha, logits, mask = (np.asarray(part) for part in garbage_padding(alpha, logits, mask, 2))
    table = np.concatenate([np.ones((count, PADDED, 1), np.float32), logits], -1).transpose(0, 2, 1)
    return alpha, np.where(mask[:, None], table, 0), mask


def enumerated(alpha, table):
    """{support: JSD to alpha} of every vertex, from every set of as many tokens as equations."""
    wide, found = table[:, :LENGTH].astype(float), {}
    target = wide @ alpha[:LENGTH].astype(float)
    for support in itertools.combinations(range(LENGTH), len(wide)):
        weights = np.linalg.solve(wide[:, support], target)
        if weights.min() > 0:
            point = np.zeros(PADDED)
            point[list(support)] = weights
            found[support] = jsd(point, alpha)
    return found


@pytest.mark.parametrize(("rows", "shortfall"), [(1, 7e-4), (2, 2e-3), (3, 5e-3)])
def test_no_neighbouring_vertex_is_farther(rows, shortfall):
    alpha, table, mask = equations(rows, 60, rows)
    found = np.asarray(VERTEX(alpha, table, mask), np.float64)
    np.testing.assert_allclose(found.sum(-1), 1, atol=1e-5)
    assert (found >= 0).all()
    np.testing.assert_array_equal(found[:, LENGTH:], 0)
    short = []
    for row in range(60):
        np.testing.assert_allclose(table[row] @ found[row], table[row] @ alpha[row], atol=2e-4)
        support = set(np.flatnonzero(found[row] > 1e-5))
        assert len(support) <= rows + 1
        every, own = enumerated(alpha[row], table[row]), jsd(found[row], alpha[row])
        near = [value for other, value in every.items() if len(support - set(other)) <= 1]
        assert own >= max(near) - 1e-4
        short.append(max(every.values()) - own)
    assert np.mean(short) < shortfall


def test_every_exchange_that_is_allowed_gains(monkeypatch):
    alpha, table, mask = equations(4, 60, 2)
    means = []
    for allowed in range(3):
        monkeypatch.setattr(exchange, "EXCHANGES", allowed)
        found = vectorised(lambda *inputs: exchange.farthest_vertex(*inputs), 0, 0, 0)(alpha, table, mask)
        means.append(jsd(found, alpha).mean())
    assert (np.diff(means) > 0).all()


def test_without_anything_attendable_alpha_stays():
    alpha, table, mask = equations(1, 60, 2)
    np.testing.assert_array_equal(VERTEX(0 * alpha, 0 * table, np.zeros_like(mask)), 0)


def best_pair(alpha, logits, epsilon):
    """The greatest JSD of a feasible mixture of two tokens, on a grid of 1,000 weights."""
    weights = np.linspace(0, 1, 1001)[:, None]
    best = -np.inf
    for i, j in itertools.combinations(range(LENGTH), 2):
        points = weights * np.eye(LENGTH)[i] + (1 - weights) * np.eye(LENGTH)[j]
        inside = moved(points, alpha, logits) <= epsilon
        best = max(best, jsd(points[inside], alpha).max(initial=-np.inf))
    return best


@pytest.mark.parametrize(("classes", "epsilon", "shortfall"), [(2, 0.05, 0.01), (3, 0.15, 0.012)])
def test_pairs_are_feasible_and_about_the_best(classes, epsilon, shortfall):
    alpha, logits, mask = cases(6, 100, LENGTH, classes, scale=1.0)
    found = PAIR(*garbage_padding(alpha, logits, mask, 2), epsilon)
    truth = np.array([best_pair(a, logit, epsilon) for a, logit in zip(alpha, logits, strict=True)])
    some = np.isfinite(np.asarray(found.value))
    assert np.isfinite(truth[some]).all()
    assert some.sum() >= 0.9 * np.isfinite(truth).sum()
    for row in np.flatnonzero(some):
        one = vertices.Vertex(*(part[row] for part in found))
        point = np.asarray(vertices.point(one, PADDED))
        assert moved(point[:LENGTH], alpha[row], logits[row]) <= epsilon
        np.testing.assert_allclose(jsd(point[:LENGTH], alpha[row]), one.value, atol=1e-5)
        assert one.value <= truth[row] + 2e-3  # the grid's step
    assert (truth - np.asarray(found.value))[some].mean() < shortfall


def test_a_single_feasible_token_is_a_pair_with_itself():
    """Each token has alpha's output: the farthest is the least attended one, alone."""
    alpha = jnp.array([0.5, 0.3, 0.2])
    found = edges.farthest_pair(alpha, jnp.ones((3, 3)), jnp.ones(3, bool), 0.01)
    np.testing.assert_allclose(vertices.point(found, 3), [0, 0, 1], atol=1e-6)
    np.testing.assert_allclose(found.value, jsd(np.eye(3)[2], np.asarray(alpha)), atol=1e-6)
    nothing = edges.farthest_pair(alpha, 9 * jnp.eye(3), jnp.ones(3, bool), 1e-5)
    assert nothing.value == -jnp.inf
