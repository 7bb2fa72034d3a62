"""Serrano & Smith's erasure: a plain loop as oracle, and the smallest flip set that no order beats."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon

from attn_jax import certify, outputs
from attn_jax.analyses.flips import flip_along, flip_table, orders, removals, single_weight
from attn_jax.analyses.selection import order, top

N, SIZE = 40, 8


def cases(classes, seed=0):
    rng = np.random.default_rng(seed)
    mask = np.arange(SIZE)[None] < rng.integers(0, SIZE + 1, (N, 1))
    mask[0], mask[1] = False, np.arange(SIZE) < 1
    alpha = np.where(mask, rng.gamma(0.5, size=(N, SIZE)) + 1e-3, 0)
    alpha /= np.maximum(alpha.sum(1, keepdims=True), 1e-9)
    logits, bias = rng.normal(size=(N, SIZE, classes)), rng.normal(size=classes)
    return *(
        jnp.asarray(a) for a in (alpha.astype(np.float32), logits.astype(np.float32), mask)
    ), jnp.asarray(bias, jnp.float32)


def runs(function, classes):
    alpha, logits, mask, bias = cases(classes)
    rngs = jax.random.split(jax.random.key(0), N)

    @jax.jit
    @jax.vmap
    def run(a, values, m, rng):
        return function(lambda w: w @ (values - bias[None]) + bias, a, values, m, rng)

    return jax.device_get(run(alpha, logits, mask, rngs)), *map(np.asarray, (alpha, logits, mask))


def predicted(alpha, logits):
    return int(outputs.predicted(jnp.asarray(alpha @ logits)))


@pytest.mark.parametrize("classes", [1, 3])
def test_no_order_beats_the_smallest_flip_set(classes):
    found, _, _, mask = runs(removals, classes)
    assert set(found) == {
        "attention",
        "gradient",
        "gradient_x_attention",
        "random",
        "reverse_attention",
        "smallest",
    }
    for name, removal in found.items():
        assert (removal.regret >= 0).all(), name
        assert (removal.flips <= found["smallest"].flips).all(), name
        assert (removal.fraction[~removal.flips & mask.any(1)] == 1).all()
        np.testing.assert_allclose(removal.fraction, removal.count / np.maximum(mask.sum(1), 1), rtol=1e-6)
    assert found["smallest"].flips.any()
    assert not found["smallest"].flips.all()
    assert found["random"].regret.sum() > found["gradient_x_attention"].regret.sum()


@pytest.mark.parametrize("classes", [1, 3])
def test_removal_by_attention_is_the_plain_loop(classes):
    found, alpha, logits, mask = runs(removals, classes)
    for i in range(N):
        weights, first = alpha[i].copy(), predicted(alpha[i], logits[i])
        count, flips = int(mask[i].sum()), False
        for k, t in enumerate(np.argsort(-alpha[i], kind="stable")[: max(count - 1, 0)]):
            weights[t] = 0
            if predicted(weights / weights.sum(), logits[i]) != first:
                count, flips = k + 1, True
                break
        assert (found["attention"].count[i], found["attention"].flips[i]) == (count, flips)


def test_decoding_after_each_removal_is_the_certificates_predicate():
    def both(decode, alpha, values, mask, rng):
        chosen = orders(decode, alpha, mask, rng)["random"]
        return flip_along(decode, chosen, alpha, mask), certify.flip_at(chosen, alpha, values, mask)

    (decoded, exact), *_ = runs(both, 3)
    np.testing.assert_array_equal(decoded.count, exact.count)
    np.testing.assert_array_equal(decoded.flips, exact.flips)
    assert decoded.flips.any()


def test_orders_sort_by_the_analytic_gradient():
    found, alpha, logits, mask = runs(lambda decode, a, v, m, rng: orders(decode, a, m, rng), 1)
    bias = np.asarray(cases(1)[3])
    for i in np.flatnonzero(mask.sum(1) > 2):
        slope = (logits[i] - bias)[:, 0] * (1 if predicted(alpha[i], logits[i]) else -1)
        n = mask[i].sum()
        np.testing.assert_array_equal(found["gradient"][i][:n], np.argsort(-slope[:n]))
        np.testing.assert_array_equal(
            found["gradient_x_attention"][i][:n], np.argsort(-(slope * alpha[i])[:n])
        )
        np.testing.assert_array_equal(found["reverse_attention"][i][:n], np.argsort(alpha[i][:n]))
        assert sorted(found["random"][i]) == list(range(SIZE))


def test_single_weight_is_the_plain_computation():
    found, alpha, logits, mask = runs(lambda decode, a, v, m, rng: single_weight(decode, a, m, rng), 3)
    assert found.defined.tolist() == (mask.sum(1) > 1).tolist()
    assert np.isnan(found.delta_js[~found.defined]).all()

    def erased(i, t):
        weights = np.where(np.arange(SIZE) == t, 0, alpha[i])
        before, after = (
            np.asarray(outputs.probabilities(jnp.asarray(w @ logits[i])))
            for w in (alpha[i], weights / weights.sum())
        )
        return jensenshannon(before, after) ** 2, before.argmax() != after.argmax()

    for i in np.flatnonzero(found.defined):
        best = alpha[i].argmax()
        other = np.abs(alpha[i] - (alpha[i][best] - found.delta_alpha[i])).argmin()
        assert mask[i][other]
        (top_js, top_flips), (other_js, other_flips) = erased(i, best), erased(i, other)
        np.testing.assert_allclose(found.delta_js[i], top_js - other_js, atol=1e-5)
        assert (found.top_flips[i], found.other_flips[i]) == (top_flips, other_flips)
    table = flip_table(jax.tree.map(jnp.asarray, found), jnp.ones(N))
    assert table.sum() == found.defined.sum()
    assert table[1, 0] == (found.top_flips & ~found.other_flips).sum()
    assert table[0, 1] == (~found.top_flips & found.other_flips).sum()


def test_top_tokens_are_attendable_and_ties_go_to_the_lowest():
    scores, mask = jnp.array([9.0, 1.0, 2.0, 2.0, 0.0]), jnp.array([False, True, True, True, True])
    assert order(scores, mask).tolist() == [2, 3, 1, 4, 0]
    assert top(scores, mask, 1).tolist() == [False, False, True, False, False]
    assert top(scores, mask, 9).tolist() == mask.tolist()
