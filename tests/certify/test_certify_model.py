import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from certify_cases import cases, jsd

from attn_jax import certify
from attn_jax.types import Encoded, Evidence


@dataclasses.dataclass(frozen=True)
class Decoder:
    affine: bool


def evidence(classes, *, squash=False):
    """Evidence of a batch, nothing attendable in row 0. Squashed: logits are tanh of an affine model's."""
    alpha, logits, mask = cases(1, 30, 7, classes)
    alpha[0], mask[0] = 0, False
    bend = np.tanh if squash else (lambda values: values)
    here = bend(np.einsum("bt,btc->bc", alpha, logits))
    encoded = Encoded(states=jnp.zeros((30, 7, 2)), mask=jnp.asarray(mask))
    return Evidence(encoded, jnp.asarray(alpha), jnp.asarray(here), jnp.asarray(bend(logits))), logits


@pytest.mark.parametrize("classes", [1, 2, 3])
def test_affine_models_get_every_certificate(classes):
    batch, _ = evidence(classes)
    found = jax.jit(jax.vmap(lambda one: certify.of(Decoder(affine=True), one, 0.05)))(batch)
    inputs = batch.alpha, batch.token_logits, batch.encoded.mask
    direct = jax.jit(jax.vmap(certify.permutation_range))(*inputs)
    np.testing.assert_allclose(found.permutation_range.low, direct.low, atol=1e-6)
    assert (found.max_jsd.jsd <= found.max_jsd.upper_bound).all()
    np.testing.assert_array_equal(found.max_jsd.valid, np.arange(30) > 0)
    assert float(found.max_jsd.upper_bound[0]) == float(jnp.abs(found.max_jsd.alpha[0]).max()) == 0
    assert found.exact.all() if classes <= 2 else not found.exact.any()
    assert (found.max_jsd.upper_bound - found.max_jsd.jsd)[found.exact].max(initial=0.0) < 1e-4
    assert found.permutation_range.low.shape == (30, classes)
    assert found.minimal_flip.removed.shape == (30, 7)
    assert (found.permuted_jsd.jsd <= found.max_jsd.upper_bound).all()


def test_other_decoders_get_bounds_labelled_as_bounds():
    epsilon = 0.05
    batch, inner = evidence(1, squash=True)
    found = jax.jit(jax.vmap(lambda one: certify.of(Decoder(affine=False), one, epsilon)))(batch)
    assert not found.exact.any()
    assert found.permuted_jsd is found.permutation_range is found.minimal_flip is None
    assert float(found.max_jsd.upper_bound[0]) == 0
    assert not found.max_jsd.valid[0]
    draw = np.random.default_rng(0)
    attained = 0
    for row in range(1, 30):
        alpha, other = (np.asarray(part[row], np.float64) for part in (batch.alpha, found.max_jsd.alpha))

        def output(points, row=row):
            return 1 / (1 + np.exp(-np.tanh(points @ inner[row, :, 0].astype(np.float64))))

        assert abs(output(other) - output(alpha)) <= epsilon
        points = draw.dirichlet(np.full(7, 0.2), size=2000)
        points = points[np.abs(output(points) - output(alpha)) <= epsilon]
        assert jsd(points, alpha).max(initial=0.0) <= float(found.max_jsd.upper_bound[row])
        attained += float(found.max_jsd.jsd[row]) > 0
    assert attained > 5
