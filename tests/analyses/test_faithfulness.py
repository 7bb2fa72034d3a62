"""Faithfulness, agreement matrix and ERASER's plausibility, each against a plain loop or a library."""

import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import f1_score

from attn_jax import outputs
from attn_jax.analyses.agreement_matrix import agreement_matrix
from attn_jax.analyses.case import Case
from attn_jax.analyses.erasure import MODES, erase
from attn_jax.analyses.faithfulness import PERCENT, counts, faithfulness
from attn_jax.analyses.plausibility import iou_f1, token_f1
from tests.models.families import MODELS, T, batch, params_of, row

RNG = jax.random.key(0)


def test_percentages_are_rounded_up_exactly():
    for n in range(0, 120):
        found = counts(np.arange(120) < n, PERCENT).tolist()
        assert found == [math.ceil(n * p / 100) for p in PERCENT]


@pytest.mark.parametrize("mode", ["renormalise", "mask"])
def test_faithfulness_is_the_plain_loop(mode):
    model, example = MODELS["cnn-additive"], row(batch(), 3)
    params = params_of(model)
    seen = jax.jit(model.evidence)(params, example)
    mask = np.asarray(example.attendable)

    @jax.jit
    def erased(removed):
        return erase(Case(model, params, example, seen, RNG), removed, MODES[mode])

    found = jax.jit(lambda scores: faithfulness(erased, scores, mask))(seen.alpha)
    said = int(outputs.predicted(seen.logits))
    p = lambda removed: float(outputs.probabilities(erased(jnp.asarray(removed)))[said])  # noqa: E731
    full, empty = p(np.zeros(T, bool)), p(mask)
    zero = 1 - max(0, full - empty)
    order = [t for t in np.argsort(-np.asarray(seen.alpha), kind="stable") if mask[t]]
    for i, percent in enumerate(PERCENT):
        top = np.isin(np.arange(T), order[: math.ceil(mask.sum() * percent / 100)])
        without, alone = p(top), p(mask & ~top)
        np.testing.assert_allclose(found.comprehensiveness[i], full - without, atol=1e-5)
        np.testing.assert_allclose(found.sufficiency[i], full - alone, atol=1e-5)
        if zero < 1 - 1e-3:
            nc = np.clip(max(0, full - without) / (1 - zero), 0, 1)
            ns = np.clip((1 - max(0, full - alone) - zero) / (1 - zero), 0, 1)
            np.testing.assert_allclose(found.normalised_comprehensiveness[i], nc, atol=1e-3)
            np.testing.assert_allclose(found.normalised_sufficiency[i], ns, atol=1e-3)
    np.testing.assert_allclose(found.aopc_sufficiency, found.sufficiency.mean(), rtol=1e-6)


def test_the_deciding_tokens_are_faithful_and_the_others_are_not():
    """A decision by one token alone, at position 2 of 10."""
    mask = jnp.arange(12) < 10
    decide = lambda removed: jnp.where(removed[2], 0.0, 4.0)[None]  # noqa: E731
    run = jax.jit(lambda scores, mask: faithfulness(decide, scores, mask))
    right = run(jnp.where(jnp.arange(12) == 2, 1.0, 0.0), mask)
    wrong = run(jnp.where(jnp.arange(12) == 2, -1.0, 0.0), mask)
    sure = float(jax.nn.sigmoid(4.0)) - 0.5
    np.testing.assert_allclose(right.comprehensiveness, sure, atol=1e-6)
    np.testing.assert_allclose(right.sufficiency, 0, atol=1e-6)
    np.testing.assert_allclose(right.normalised_comprehensiveness, 1, atol=1e-6)
    np.testing.assert_allclose(right.normalised_sufficiency, 1, atol=1e-6)
    np.testing.assert_allclose(wrong.comprehensiveness, 0, atol=1e-6)
    np.testing.assert_allclose(wrong.sufficiency, sure, atol=1e-6)
    np.testing.assert_allclose(wrong.normalised_sufficiency, 0, atol=1e-6)
    assert np.isnan(run(jnp.zeros(12), jnp.zeros(12, bool)).aopc_sufficiency)
    constant = jax.jit(lambda: faithfulness(lambda removed: jnp.ones(1), jnp.zeros(12), mask))()
    assert np.isnan(constant.aopc_normalised_sufficiency)
    assert constant.aopc_sufficiency == 0


def test_matrix_is_scipys_and_the_overlap_of_sets():
    rng = np.random.default_rng(0)
    scores, mask = rng.normal(size=(4, 9)).astype(np.float32), np.arange(9) < 8
    run = jax.jit(lambda mask: agreement_matrix(scores, mask, top=3))
    found = jax.device_get(run(mask))
    for i, j in itertools.product(range(4), repeat=2):
        expected = stats.kendalltau(scores[i][mask], scores[j][mask])
        np.testing.assert_allclose(found.tau[i, j], expected.statistic, atol=1e-5)
        np.testing.assert_allclose(found.p_value[i, j], expected.pvalue, atol=1e-5)
        first, second = (set(np.argsort(-scores[k][:8])[:3].tolist()) for k in (i, j))
        np.testing.assert_allclose(found.overlap[i, j], len(first & second) / 3, rtol=1e-6)
    assert (run(np.arange(9) < 2).overlap == 1).all()
    assert np.isnan(run(np.zeros(9, bool)).overlap).all()


def spans(tokens):
    runs = itertools.groupby(enumerate(tokens), key=lambda place: place[1])
    return [{t for t, _ in run} for inside, run in runs if inside]


def test_token_and_span_f1_are_the_plain_counts():
    rng = np.random.default_rng(2)
    chosen, truth = rng.uniform(size=(2, 60, 10)) < 0.5
    truth[:30] = chosen[:30] ^ (rng.uniform(size=(30, 10)) < 0.1)
    mask = np.arange(10)[None] < rng.integers(4, 11, (60, 1))
    truth[:, 0] = True
    tokens, runs = (jax.jit(jax.vmap(score))(chosen, truth, mask) for score in (token_f1, iou_f1))
    for i in range(60):
        inside = mask[i]
        expected = f1_score(truth[i][inside], chosen[i][inside], zero_division=0.0)
        np.testing.assert_allclose(tokens[i], expected, rtol=1e-5)
        found, wanted = spans(chosen[i] & inside), spans(truth[i] & inside)
        right = sum(max(len(f & w) / len(f | w) for w in wanted) >= 0.5 for f in found)
        precision, recall = right / max(len(found), 1), right / len(wanted)
        expected = 2 * precision * recall / (precision + recall) if right else 0.0
        np.testing.assert_allclose(runs[i], expected, rtol=1e-5)
    assert 0 < np.asarray(runs).mean() < 1
    for score in (token_f1, iou_f1):
        assert np.isnan(score(jnp.ones(3, bool), jnp.zeros(3, bool), jnp.ones(3, bool)))
