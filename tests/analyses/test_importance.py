"""Gradient and leave-one-out against plain definitions, agreement and plausibility against oracles."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import average_precision_score

from attn_jax import outputs
from attn_jax.analyses.agreement import agreement
from attn_jax.analyses.gradient import gradient, times_input
from attn_jax.analyses.leave_one_out import last_position, leave_one_out, without
from attn_jax.analyses.plausibility import average_precision
from tests.models.families import LENGTHS, MODELS, SOME, T, batch, params_of, row

RNG = jax.random.key(0)


def slopes(model, params, example):
    seen = model.evidence(params, example)
    return gradient(model, params, example, seen.alpha, seen.logits), seen


@pytest.mark.parametrize("name", SOME)
def test_gradient_is_the_finite_difference_with_attention_constant(name):
    model, example = SOME[name], row(batch(), 3)
    params = params_of(model)
    found, seen = jax.jit(lambda: slopes(model, params, example))()
    embedded = model.embed(params, example)
    target = 1 if seen.logits.shape[0] == 1 else int(outputs.predicted(seen.logits))

    @jax.jit
    def output(x):
        encoded = model.encode(params, embedded.replace(x=x))
        return outputs.probabilities(model.decode(params, encoded, seen.alpha))[target]

    step = 1e-2
    for t in np.flatnonzero(example.attendable):
        along = jnp.zeros_like(embedded.x).at[t].set(embedded.x[t])
        change = (output(embedded.x + step * along) - output(embedded.x - step * along)) / (2 * step)
        np.testing.assert_allclose(found.times_input[t], abs(change), atol=2e-4, rtol=2e-2)
        ones = jnp.zeros_like(embedded.x).at[t].set(1.0)
        change = (output(embedded.x + step * ones) - output(embedded.x - step * ones)) / (2 * step)
        np.testing.assert_allclose(found.total[t], change, atol=2e-4, rtol=2e-2)
    assert (np.asarray(found.l2)[np.asarray(example.attendable)] > 0).all()


@pytest.mark.parametrize("name", SOME)
def test_the_product_with_the_input_alone_needs_no_evidence(name):
    model, rows = SOME[name], batch()
    params = params_of(model)

    @jax.jit
    def both(rows):
        one = jax.vmap(lambda example: slopes(model, params, example)[0].times_input)(rows)
        return one, jax.vmap(lambda example: times_input(model, params, example, RNG))(rows)

    expected, found = both(rows)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


def test_the_norms_are_of_the_slope_of_the_predicted_class():
    """l1, l2 and the sum of dy/dx at each token, by differentiating all from the word vectors on."""
    model, example = MODELS["bilstm-additive-3"], row(batch(), 3)
    params = params_of(model)
    found, seen = slopes(model, params, example)
    embedded = model.embed(params, example)

    def output(x):
        encoded = model.encode(params, embedded.replace(x=x))
        return jax.nn.softmax(model.decode(params, encoded, seen.alpha))[int(jnp.argmax(seen.logits))]

    slope = np.asarray(jax.grad(output)(embedded.x)) * np.asarray(example.attendable)[:, None]
    assert np.abs(slope[np.asarray(example.attendable)]).min() > 0
    np.testing.assert_allclose(found.l1, np.abs(slope).sum(-1), rtol=1e-4, atol=1e-7)
    np.testing.assert_allclose(found.l2, np.linalg.norm(slope, axis=-1), rtol=1e-4, atol=1e-7)
    np.testing.assert_allclose(found.total, slope.sum(-1), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(found.times_input, np.abs((slope * embedded.x).sum(-1)), rtol=1e-4, atol=1e-7)


def test_gradient_of_a_saturated_output_is_zero_not_nan():
    model = MODELS["average-additive"]
    params = jax.tree.map(lambda a: a, params_of(model))
    params["decoder"]["dense"]["bias"] = jnp.array([500.0])
    found, seen = slopes(model, params, row(batch(), 3))
    assert outputs.probabilities(seen.logits)[1] == 1.0
    for scores in found:
        np.testing.assert_array_equal(scores, 0)


@pytest.mark.parametrize("name", SOME)
def test_leave_one_out_is_the_loop_over_shorter_texts(name):
    model, example = SOME[name], row(batch(), 3)
    params = params_of(model)
    forward = jax.jit(model.forward)
    before = outputs.probabilities(forward(params, example))
    found = jax.jit(lambda: leave_one_out(model, params, example, model.forward(params, example), RNG))()
    for t in range(T):
        if not example.attendable[t]:
            assert found[t] == 0
            continue
        shorter = {
            name: np.delete(np.asarray(getattr(example, name)), t)
            for name in ("ids", "valid", "attendable", "given")
        }
        gone = example.replace(**shorter, rationale=None)
        after = outputs.probabilities(forward(params, gone))
        np.testing.assert_allclose(found[t], 0.5 * np.abs(after - before).sum(), atol=1e-5)


def test_a_token_of_a_document_is_deleted_from_its_own_sentence():
    ids = jnp.arange(12).reshape(3, 4) + 1
    ones = jnp.ones((3, 4), bool)
    example = row(batch(), 3).replace(
        ids=ids, valid=ones, attendable=ones.at[:, 0].set(False), given=ids / 10, rationale=None
    )
    for t in range(12):
        gone, expected = without(example, jnp.int32(t)), np.array(ids)
        sentence, place = divmod(t, 4)
        expected[sentence] = [*np.delete(expected[sentence], place), 0]
        np.testing.assert_array_equal(gone.ids, expected)
        np.testing.assert_array_equal(gone.valid, expected > 0)
        np.testing.assert_allclose(gone.given, expected / 10, rtol=1e-6)
        np.testing.assert_array_equal(gone.attendable[sentence], np.r_[place == 0, True, True, False])
    assert without(example.replace(given=None), jnp.int32(0)).given is None


def test_deleting_the_only_token_leaves_the_bias():
    model, example = MODELS["bilstm-additive"], row(batch(), 1)
    params = params_of(model)
    seen = model.evidence(params, without(example, jnp.int32(1)))
    np.testing.assert_array_equal(seen.alpha, 0)
    np.testing.assert_allclose(seen.logits, params["decoder"]["dense"]["bias"], rtol=1e-6)
    loo = leave_one_out(model, params, example, model.forward(params, example), RNG)
    assert np.isfinite(loo).all()
    assert loo[1] > 0


@pytest.mark.parametrize("name", ["bilstm2-additive", "average-dot", "pair-bilstm-dot"])
def test_skipping_a_gap_is_deleting_the_token(name):
    model, example = MODELS[name], row(batch(), 3)
    params = params_of(model)
    assert model.skips_gaps
    embedded = model.embed(params, example)
    for t in np.flatnonzero(example.attendable):
        stays = jnp.arange(T) != t
        gap = embedded.replace(valid=embedded.valid & stays, attendable=embedded.attendable & stays)
        skipped = model.encode(params, gap)
        deleted = model.encode(params, model.embed(params, without(example, jnp.int32(t))))
        np.testing.assert_allclose(np.delete(skipped.states, t, 0), deleted.states[:-1], atol=1e-6)
        np.testing.assert_array_equal(np.delete(skipped.mask, t), deleted.mask[:-1])


def test_blocks_of_deletions_change_nothing():
    model, example = MODELS["bilstm-dot"], row(batch(), 3)
    params = params_of(model)
    logits = model.forward(params, example)
    each = [leave_one_out(model, params, example, logits, RNG, block=block) for block in (1, 3, 8)]
    np.testing.assert_allclose(each[0], each[1], atol=1e-6)
    np.testing.assert_allclose(each[0], each[2], atol=1e-6)


def test_a_batch_is_read_no_farther_than_its_longest_text():
    model, rows = MODELS["bilstm-additive"], batch(length=T + 5)
    params = params_of(model)
    until = last_position(rows)
    assert until == T

    @jax.jit
    def found(until):
        def one(example):
            return leave_one_out(model, params, example, model.forward(params, example), RNG, until=until)

        return jax.vmap(one)(rows)

    np.testing.assert_allclose(found(until), found(jnp.int32(T + 5)), atol=1e-7)
    assert found(until).max() > 0
    np.testing.assert_array_equal(found(jnp.int32(0)), 0)


def test_padding_and_all_padding_rows_of_both():
    model = MODELS["bilstm-additive"]
    params = params_of(model)

    @jax.jit
    def both(rows):
        def one(example):
            found, seen = slopes(model, params, example)
            return found.times_input, leave_one_out(model, params, example, seen.logits, RNG)

        return jax.vmap(one)(rows)

    for short, long in zip(both(batch()), both(batch(T + 5)), strict=True):
        np.testing.assert_allclose(short, long[:, :T], atol=1e-6)
        np.testing.assert_array_equal(long[:, T:], 0)
        np.testing.assert_array_equal(short[LENGTHS.index(0)], 0)


def test_agreement_is_scipys_and_its_null_is_a_permutation():
    rng = np.random.default_rng(0)
    alpha, grad, loo = rng.dirichlet(np.ones(9), 3).astype(np.float32)
    mask = np.arange(9) < 8
    alpha = alpha * mask
    found = agreement(*map(jnp.asarray, (alpha, grad, loo, mask)), RNG)
    for tau, x, y in (
        (found.gradient, alpha, grad),
        (found.loo, alpha, loo),
        (found.gradient_loo, grad, loo),
    ):
        expected = stats.kendalltau(x[mask], y[mask])
        np.testing.assert_allclose(tau, [expected.statistic, expected.pvalue], atol=1e-5)
    other = agreement(*map(jnp.asarray, (alpha, grad, loo, mask)), jax.random.key(1))
    assert found.gradient_shuffled.tau != other.gradient_shuffled.tau


@pytest.mark.parametrize("levels", [None, 3])
def test_average_precision_is_sklearns(levels):
    rng = np.random.default_rng(1)
    scores = rng.uniform(size=(30, 8)).astype(np.float32)
    if levels:
        scores = np.floor(scores * levels)
    truth = rng.uniform(size=(30, 8)) < 0.4
    truth[:, 0] = True
    mask = np.arange(8)[None] < rng.integers(2, 9, size=(30, 1))
    found = jax.vmap(average_precision)(scores, truth, mask)
    expected = [average_precision_score(y[m], s[m]) for s, y, m in zip(scores, truth, mask, strict=True)]
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert np.isnan(average_precision(jnp.ones(3), jnp.zeros(3, bool), jnp.ones(3, bool)))


def test_a_batch_of_padding_alone_has_no_last_position():
    rows = batch()
    assert int(last_position(rows.replace(valid=np.zeros_like(rows.valid)))) == 0
