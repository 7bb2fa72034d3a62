"""Random cases and float64 oracles that the certificates are held against."""

import jax
import jax.numpy as jnp
import numpy as np
from scipy.special import rel_entr, softmax


def cases(seed, count, length, classes, *, scale=2.0, peak=1.5):
    """`count` seeded instances of full length: alpha a softmax of noise, logits from N(0, scale)."""
    draw = np.random.default_rng(seed)
    alpha = softmax(peak * draw.normal(size=(count, length)), axis=-1).astype(np.float32)
    logits = (scale * draw.normal(size=(count, length, classes))).astype(np.float32)
    return alpha, logits, np.ones((count, length), bool)


def vectorised(function, *in_axes):
    """The certificate on a batch, jitted."""
    return jax.jit(jax.vmap(function, in_axes))


def probabilities(logits):
    """The output distribution in float64."""
    logits = np.asarray(logits, np.float64)
    if logits.shape[-1] == 1:
        logits = np.concatenate([np.zeros_like(logits), logits], -1)
    return softmax(logits, axis=-1)


def jsd(p, q):
    """Jensen-Shannon divergence in float64, last axis."""
    p, q = np.broadcast_arrays(np.asarray(p, np.float64), np.asarray(q, np.float64))
    middle = 0.5 * (p + q)
    return 0.5 * (rel_entr(p, middle) + rel_entr(q, middle)).sum(-1)


def moved(points, alpha, token_logits):
    """TVD, in float64, between the outputs at `points` [..., T] and at alpha [T]."""
    logits = np.asarray(token_logits, np.float64)
    y = probabilities(np.asarray(alpha, np.float64) @ logits)
    return 0.5 * np.abs(probabilities(np.asarray(points, np.float64) @ logits) - y).sum(-1)


def simplex_grid(steps):
    """Every distribution over three tokens whose weights are multiples of 1/steps."""
    i, j = np.meshgrid(np.arange(steps + 1), np.arange(steps + 1), indexing="ij")
    inside = i + j <= steps
    return np.stack([i[inside], j[inside], steps - i[inside] - j[inside]], -1) / steps


def feasible_points(seed, count, alpha, token_logits, epsilon):
    """`count` random distributions, spread or sparse, whose output moves by <= epsilon in float64.

    As many random distributions as classes are mixed so that alpha's own logits come out, jittered, and
    pulled towards alpha by the largest of a ladder of steps that is feasible.
    """
    draw = np.random.default_rng(seed)
    here = np.asarray(alpha, np.float64)
    logits = np.asarray(token_logits, np.float64)
    if logits.shape[1] == 1:
        logits = np.concatenate([np.zeros_like(logits), logits], 1)
    relative = logits[:, 1:] - logits[:, :1]
    classes = logits.shape[1]
    raw = draw.dirichlet(np.full(len(here), 0.15), size=(count, classes))
    equations = np.concatenate([np.ones((count, classes, 1)), raw @ relative], -1).transpose(0, 2, 1)
    target = np.concatenate([[1.0], here @ relative])
    mix = np.linalg.solve(
        equations + 1e-9 * np.eye(classes), np.broadcast_to(target[:, None], (count, classes, 1))
    )
    mix = np.clip(mix[..., 0] + draw.normal(scale=0.01, size=(count, classes)), 0, None) + 1e-12
    points = np.einsum("nk,nkt->nt", mix / mix.sum(-1, keepdims=True), raw)
    kept = np.repeat(here[None], count, 0)
    waiting = np.ones(count, bool)
    for step in (1.0, 0.9, 0.5, 0.1, 0.01):
        trial = step * points + (1 - step) * here
        better = waiting & (moved(trial, alpha, token_logits) <= epsilon)
        kept[better], waiting[better] = trial[better], False
    return kept


def garbage_padding(alpha, token_logits, mask, extra):
    """The same instances with `extra` positions of padding whose logits are large garbage."""
    count, _, classes = token_logits.shape
    noise = jnp.asarray(np.random.default_rng(9).normal(size=(count, extra, classes)) * 1e4, jnp.float32)
    return (
        jnp.concatenate([alpha, jnp.zeros((count, extra))], 1),
        jnp.concatenate([token_logits, noise], 1),
        jnp.concatenate([mask, jnp.zeros((count, extra), bool)], 1),
    )
