"""The parts of the multi-class search against plain loops: pairs near alpha's logits, equations, faces."""

import jax.numpy as jnp
import numpy as np
import pytest

from attn_jax.certify import adversary, edges, multiclass, vertices
from attn_jax.certify.farthest import LN2, distance_to, farthest
from attn_jax.certify.slab import Slab
from attn_jax.divergences import jsd

EPSILON = 0.3


def drawn(seed, tokens=6, classes=3):
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(tokens, classes))
    return jnp.asarray(rng.dirichlet(np.ones(tokens)), jnp.float32), jnp.asarray(logits, jnp.float32)


def radii(alpha, logits, first, second, weights):
    """The Fisher radius of the mixtures of two tokens, by its definition."""
    alpha, logits = np.asarray(alpha, float), np.asarray(logits, float)
    here = alpha @ logits
    y = np.exp(here - here.max()) / np.exp(here - here.max()).sum()
    d = weights[:, None] * logits[first] + (1 - weights[:, None]) * logits[second] - here
    return (y * (d - (d @ y)[:, None]) ** 2).sum(1)


@pytest.mark.parametrize("seed", range(4))
def test_a_partner_is_the_farthest_of_those_that_come_near(seed):
    alpha, logits = drawn(seed)
    tokens, grid = len(alpha), np.linspace(0, 1, 2001)
    second, weight = edges._partners(alpha, logits, jnp.ones(tokens, bool), EPSILON)
    distance, terms = distance_to(alpha)
    for first in range(tokens):
        values = []
        for other in range(tokens):
            found = radii(alpha, logits, first, other, grid)
            nearest = 1.0 if other == first else grid[found.argmin()]
            rest = tuple(jnp.where(other == first, 0.0, term[other]) for term in terms)
            value = float(distance(jnp.float32(nearest), tuple(term[first] for term in terms), rest))
            values.append(value if found.min() <= (2 * EPSILON) ** 2 else -np.inf)
        chosen = int(second[first])
        if np.isfinite(max(values)):
            assert values[chosen] == pytest.approx(max(values), abs=1e-3)
            own = radii(alpha, logits, first, chosen, np.array([float(weight[first])]))[0]
            assert own <= radii(alpha, logits, first, chosen, grid).min() + 1e-4


def test_some_of_these_tokens_have_partners():
    alpha, logits = drawn(0)
    second, weight = edges._partners(alpha, logits, jnp.ones(6, bool), EPSILON)
    assert ((weight > 0.05) & (weight < 0.95)).any()
    assert (second != jnp.arange(6)).any()


def test_equations_are_of_one_size_however_small_the_logits():
    alpha, logits = drawn(1)
    rows = multiclass._equations(alpha, 1e-3 * logits, jnp.ones(6, bool))
    np.testing.assert_allclose(jnp.abs(rows).max(1), 1.0, rtol=1e-5)


def test_two_tokens_on_a_face_itself():
    alpha = jnp.array([0.1, 0.2, 0.3, 0.4])
    s = jnp.array([1.0, 1.0, 2.0, 3.0])
    for face in (Slab(jnp.float32(1.0), jnp.float32(2.5)), Slab(jnp.float32(0.0), jnp.float32(1.0))):
        found = farthest(alpha, s, face, jnp.ones(4, bool))
        expected = farthest(alpha, s, Slab(face.low - 1e-5, face.high + 1e-5), jnp.ones(4, bool))
        assert float(found.value) == pytest.approx(float(expected.value), abs=1e-4)
        lands = vertices.point(found, 4) @ s
        assert float(face.low) - 1e-5 <= float(lands) <= float(face.high) + 1e-5


def test_no_bound_lies_above_the_largest_jsd_that_there_is():
    alpha = jnp.array([0.25, 0.75])
    found = adversary.bracket(alpha, jnp.array([1.0, 0.0]), jnp.float32(9.0), jnp.ones(2, bool))
    assert float(found.upper_bound) == pytest.approx(LN2, abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_the_value_of_a_pair_is_its_distance(seed):
    alpha, logits = drawn(seed)
    for token_logits in (logits, 0 * logits):  # without logits every single token is allowed
        found = edges.farthest_pair(alpha, token_logits, jnp.ones(6, bool), EPSILON)
        assert float(found.value) == pytest.approx(float(jsd(vertices.point(found, 6), alpha)), abs=1e-6)
