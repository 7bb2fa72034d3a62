"""The erasure operator: definitions that must agree do, each against a plain computation."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from attn_jax import divergences, outputs
from attn_jax.analyses.case import Case
from attn_jax.analyses.erasure import MODES, Erasure, erase
from attn_jax.analyses.leave_one_out import leave_one_out
from tests.models.families import MODELS, T, batch, params_of, row

RNG = jax.random.key(0)
REMOVED = jnp.arange(T) % 2 == 0  # position 0 is SOS: it stays


def case(name):
    model, example = MODELS[name], row(batch(), 3)
    params = params_of(model)
    return model, params, example, _seen(model, params, example)


@jax.jit(static_argnums=0)
def _seen(model, params, example):
    return model.evidence(params, example, rngs={"attention": RNG})


def erased(name, how, removed=REMOVED):
    model, params, example, seen = case(name)
    return _erase(model, params, example, seen, removed, how), seen


@jax.jit(static_argnums=(0, 5))
def _erase(model, params, example, seen, removed, how):
    return erase(Case(model, params, example, seen, RNG), removed, how)


@pytest.mark.parametrize("name", ["average-additive", "average-random"])
def test_a_score_of_minus_infinity_is_a_weight_of_zero_renormalised(name):
    zeroed, seen = erased(name, MODES["renormalise"])
    masked, _ = erased(name, MODES["logit"])
    np.testing.assert_allclose(zeroed, masked, atol=1e-5)
    kept = np.where(REMOVED, 0, seen.alpha)
    expected = (kept / kept.sum()) @ np.asarray(seen.token_logits)
    np.testing.assert_allclose(zeroed, expected, atol=1e-5)
    assert np.abs(zeroed - seen.logits).max() > 1e-4


@pytest.mark.parametrize(
    "name", ["cnn-dot", "pair-average-dot", pytest.param("bilstm-additive", marks=pytest.mark.slow)]
)
def test_deleting_one_token_is_leave_one_out(name):
    model, params, example, seen = case(name)

    @jax.jit
    def both():
        case = Case(model, params, example, seen, RNG)
        without = jax.vmap(lambda r: erase(case, r, MODES["delete"]))(jnp.eye(T, dtype=bool))
        return without, leave_one_out(model, params, example, seen.logits, RNG)

    without, loo = both()
    before = jnp.broadcast_to(outputs.probabilities(seen.logits), (T, max(2, seen.logits.shape[0])))
    np.testing.assert_allclose(divergences.tvd(outputs.probabilities(without), before), loo, atol=1e-5)


def test_deleting_several_tokens_is_the_shorter_text():
    model, params, example, _ = case("cnn-additive")
    keep = np.flatnonzero(~(np.asarray(REMOVED) & np.asarray(example.attendable)))
    cut = {part: getattr(example, part)[keep] for part in ("ids", "valid", "attendable", "given")}
    expected = jax.jit(model.forward)(params, example.replace(**cut, rationale=None))
    np.testing.assert_allclose(erased("cnn-additive", MODES["delete"])[0], expected, atol=1e-5)


def test_the_unknown_word_is_another_text():
    model, params, example, _ = case("cnn-additive")
    ids = jnp.where(REMOVED & example.attendable, 1, example.ids)
    expected = jax.jit(model.forward)(params, example.replace(ids=ids))
    np.testing.assert_allclose(erased("cnn-additive", MODES["mask"])[0], expected, atol=1e-5)


def test_cached_states_see_only_their_own_replacement():
    """Without context in the encoder both are the same; with it they are not."""
    for name, same in (("average-additive", True), ("cnn-additive", False)):
        cached, anew = (
            erased(name, Erasure("zero", "recomputed", states))[0] for states in ("cached", "encoded")
        )
        assert np.allclose(cached, anew, atol=1e-5) == same


def test_nothing_removed_changes_nothing_and_everything_leaves_the_bias():
    _, params, _, seen = case("cnn-additive")
    bias = params["decoder"]["dense"]["bias"]
    for name, how in MODES.items():
        whole, none = (erased("cnn-additive", how, jnp.full(T, all_))[0] for all_ in (False, True))
        np.testing.assert_allclose(whole, seen.logits, atol=1e-5, err_msg=name)
        if how.token == "absent":
            np.testing.assert_allclose(none, bias, atol=1e-6, err_msg=name)
