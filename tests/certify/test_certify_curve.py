import jax
import jax.numpy as jnp
import numpy as np
from certify_cases import cases

from attn_jax import certify

EPSILONS = jnp.array([0.0, 0.001, 0.01, 0.1, 1.0])


def test_curve_is_max_jsd_at_each_epsilon_and_never_falls():
    alpha, logits, mask = cases(1, 30, 7, 1)
    curve = jax.jit(jax.vmap(certify.jsd_curve, (0, 0, 0, None)))(alpha, logits, mask, EPSILONS)
    assert curve.jsd.shape == (30, 5)
    assert curve.alpha.shape == (30, 5, 7)
    assert (jnp.diff(curve.jsd) >= -1e-6).all()
    assert (jnp.diff(curve.upper_bound) >= -1e-6).all()
    assert float((curve.jsd[:, -1] - curve.jsd[:, 0]).min()) > 0.05
    many = jax.jit(jax.vmap(certify.max_jsd, (0, 0, 0, None)))
    for column, epsilon in enumerate(EPSILONS):
        np.testing.assert_allclose(curve.jsd[:, column], many(alpha, logits, mask, epsilon).jsd, atol=1e-6)
