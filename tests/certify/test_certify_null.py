import jax
import jax.numpy as jnp
import numpy as np
from certify_cases import cases, garbage_padding, vectorised

from attn_jax import certify

SHUFFLED = jax.jit(certify.shuffled)
MANY = vectorised(certify.null_jsd, 0, 0, 0, 0, None)
ROWS = vectorised(certify.shuffled, 0, 0, 0)


def test_rows_are_shuffled_within_the_mask_only():
    logits = jnp.arange(16.0).reshape(8, 2)
    mask = jnp.array([True, False, True, True, True, False, True, True])
    seen = {tuple(np.asarray(SHUFFLED(jax.random.key(seed), logits, mask))[:, 0]) for seed in range(20)}
    assert len(seen) > 10
    for rows in seen:
        assert rows[1] == 2
        assert rows[5] == 10
        assert sorted(rows) == list(np.arange(0.0, 16, 2))


def test_every_token_is_as_likely_in_every_place():
    rows = vectorised(certify.shuffled, 0, None, None)(
        jax.random.split(jax.random.key(1), 6000), jnp.eye(3), jnp.ones(3, bool)
    )
    np.testing.assert_allclose(rows.mean(0), np.full((3, 3), 1 / 3), atol=0.03)


def test_null_is_max_jsd_of_the_shuffled_rows_and_ignores_padding():
    alpha, logits, mask = cases(1, 10, 7, 1)
    rngs = jax.random.split(jax.random.key(3), 10)
    found = MANY(rngs, alpha, logits, mask, 0.05)
    rows = ROWS(rngs, logits, mask)
    one = jax.jit(certify.max_jsd)
    direct = [float(one(*inputs, 0.05).jsd) for inputs in zip(alpha, rows, mask, strict=True)]
    np.testing.assert_allclose(found.jsd, direct, atol=1e-5)
    padded = MANY(rngs, *garbage_padding(alpha, logits, mask, 4), 0.05)
    np.testing.assert_allclose(found.jsd, padded.jsd, atol=1e-5)
    np.testing.assert_allclose(found.upper_bound, padded.upper_bound, atol=1e-5)


def test_nothing_attendable():
    alpha, logits, mask = cases(1, 10, 7, 1)
    found = MANY(jax.random.split(jax.random.key(0), 10), 0 * alpha, logits, ~mask, 0.05)
    assert float(jnp.abs(found.jsd).max()) == float(jnp.abs(found.upper_bound).max()) == 0
    assert not found.valid.any()
