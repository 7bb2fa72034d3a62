import jax
import jax.numpy as jnp
import numpy as np
import pytest
from certify_cases import cases, feasible_points, garbage_padding, moved, simplex_grid, vectorised
from scipy.optimize import linprog

from attn_jax import certify

ONE = jax.jit(certify.group_mass)
MANY = vectorised(certify.group_mass, 0, 0, 0, 0, None)


def groups(seed, count, length):
    return np.random.default_rng(seed).random((count, length)) < 0.4


def test_equals_linear_programming():
    epsilon = 0.05
    alpha, logits, mask = cases(1, 200, 7, 1)
    group = groups(1, 200, 7)
    low, high = MANY(alpha, logits, mask, group, epsilon)
    for row in range(200):
        s, member = logits[row, :, 0].astype(np.float64), group[row].astype(float)
        y = 1 / (1 + np.exp(-s @ alpha[row].astype(np.float64)))
        faces = [np.log(p / (1 - p)) if 0 < p < 1 else np.inf for p in (y - epsilon, y + epsilon)]
        rows, edges = [s, -s], [faces[1], -faces[0] if np.isfinite(faces[0]) else np.inf]
        kept = np.isfinite(edges)
        for sign, value in ((1, low[row]), (-1, high[row])):
            program = linprog(
                sign * member,
                np.array(rows)[kept] if kept.any() else None,
                np.array(edges)[kept] if kept.any() else None,
                np.ones((1, 7)),
                [1.0],
            )
            np.testing.assert_allclose(value, sign * program.fun, atol=2e-4)


def test_fine_grid_of_the_simplex():
    grid, epsilon = simplex_grid(100), 0.05
    alpha, logits, mask = cases(2, 200, 3, 2)
    group = groups(2, 200, 3)
    low, high = (np.asarray(part, np.float64) for part in MANY(alpha, logits, mask, group, epsilon))
    for row in range(200):
        inside = grid[moved(grid, alpha[row], logits[row]) <= epsilon] @ group[row]
        assert low[row] <= inside.min(initial=1.0) + 1e-12
        assert inside.max(initial=0.0) <= high[row] + 1e-12


@pytest.mark.parametrize("classes", [1, 3])
def test_random_feasible_points_stay_in_the_range(classes):
    alpha, logits, mask = cases(3, 3, 7, classes)
    group = groups(3, 3, 7)
    low, high = (np.asarray(part, np.float64) for part in MANY(alpha, logits, mask, group, 0.05))
    for row in range(3):
        mass = feasible_points(row, 100_000, alpha[row], logits[row], 0.05) @ group[row]
        assert low[row] <= mass.min()
        assert mass.max() <= high[row]


@pytest.mark.parametrize("classes", [1, 3])
def test_degenerate_inputs(classes):
    logits = jnp.linspace(-300.0, 300.0, 4 * classes).reshape(4, classes)
    alpha, all_on, group = (
        jnp.array([0.0, 0.0, 0.0, 1.0]),
        jnp.ones(4, bool),
        jnp.array([True, True, False, False]),
    )
    nothing = ONE(jnp.zeros(4), logits, ~all_on, group, 0.01)
    assert (float(nothing[0]), float(nothing[1])) == (0.0, 0.0)
    single = ONE(alpha, logits, jnp.array([False, False, False, True]), group, 0.01)
    np.testing.assert_allclose(single, [0.0, 0.0], atol=1e-6)
    for epsilon in (0.0, 0.01, 1.0):
        low, high = ONE(alpha, logits, all_on, group, epsilon)
        assert 0 <= float(low) <= float(high) <= 1
    tied = ONE(jnp.full(4, 0.25), jnp.ones((4, classes)), all_on, group, 0.01)
    np.testing.assert_allclose(tied, [0.0, 1.0], atol=1e-6)


def test_no_group_and_everyone():
    alpha, logits, mask = cases(4, 20, 7, 1)
    none = MANY(alpha, logits, mask, np.zeros((20, 7), bool), 0.1)
    everyone = MANY(alpha, logits, mask, np.ones((20, 7), bool), 0.1)
    np.testing.assert_allclose(jnp.stack(none), 0.0, atol=1e-6)
    np.testing.assert_allclose(jnp.stack(everyone), 1.0, atol=1e-6)


@pytest.mark.parametrize("classes", [1, 3])
def test_padding_changes_nothing(classes):
    alpha, logits, mask = cases(7, 20, 7, classes)
    group = groups(7, 20, 7)
    plain = MANY(alpha, logits, mask, group, 0.02)
    marked = np.concatenate([group, np.ones((20, 4), bool)], 1)
    padded = MANY(*garbage_padding(alpha, logits, mask, 4), marked, 0.02)
    np.testing.assert_allclose(jnp.stack(plain), jnp.stack(padded), atol=1e-5)
    one = ONE(alpha[0], logits[0], mask[0], group[0], 0.02)
    np.testing.assert_allclose(jnp.stack(one), jnp.stack(plain)[:, 0], atol=1e-5)
