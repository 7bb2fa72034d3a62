"""The whole trial of a batch: no NaN but undefined taus, padding-invariant, and compiled once."""

import dataclasses

import jax
import numpy as np
import pytest

from attn_jax import rng as streams
from attn_jax.analyses import trial as trials
from attn_jax.analyses.adversary import Search
from attn_jax.analyses.observe import observe
from attn_jax.analyses.trial import Trial, trial
from attn_jax.errors import UserError
from tests.models.families import LENGTHS, MODELS, T, batch, params_of

QUICK = Trial(epsilon_grid=(0.01, 0.1), permutations=10, search=Search(steps=5))
MODEL = MODELS["bilstm-additive"]


@pytest.fixture(scope="module")
def columns():
    return trial(MODEL, params_of(MODEL), batch(), streams.root(0), QUICK)


def test_columns_are_finite_but_for_undefined_taus(columns):
    for name, values in columns.items():
        assert values.shape[0] == len(LENGTHS), name
        undefined = np.isnan(values) if values.dtype.kind == "f" else np.zeros(values.shape, bool)
        if name.startswith("tau_"):
            # Rows without or with a single token have no ranking.
            np.testing.assert_array_equal(undefined, np.array(LENGTHS) < 2)
        elif name.startswith("auprc"):
            np.testing.assert_array_equal(undefined, np.array(LENGTHS) < 1)
        else:
            assert not undefined.any(), name


def test_padding_changes_no_column(columns):
    longer = trial(MODEL, params_of(MODEL), batch(T + 3), streams.root(0), QUICK)
    for name, values in columns.items():
        other = longer[name]
        if values.ndim > 1 and values.shape[1] == T:
            other = other[:, :T]
        np.testing.assert_allclose(values, other, rtol=1e-3, atol=1e-4, err_msg=name)


def test_a_second_seed_redraws_and_the_same_seed_repeats(columns):
    again = trial(MODEL, params_of(MODEL), batch(), streams.root(0), QUICK)
    other = trial(MODEL, params_of(MODEL), batch(), streams.root(1), QUICK)
    for name in columns:
        np.testing.assert_array_equal(columns[name], again[name], err_msg=name)
    assert (columns["score/search_alpha"] != other["score/search_alpha"]).any()
    assert (columns["permutation_median_tvd"] != other["permutation_median_tvd"]).any()
    np.testing.assert_array_equal(columns["exact_jsd"], other["exact_jsd"])


def test_more_draws_of_one_analysis_leave_those_of_another(columns):
    more = dataclasses.replace(QUICK, permutations=13)
    seen = observe(MODEL, params_of(MODEL), batch(), streams.stream(streams.root(0), "attention"))
    found = trials.counterfactuals(MODEL, params_of(MODEL), batch(), seen, streams.root(0), more)
    assert (columns["permutation_median_tvd"] != found["permutation_median_tvd"]).any()
    np.testing.assert_allclose(
        columns["score/search_alpha"], found["score/search_alpha"], rtol=1e-5, atol=1e-7
    )


def test_exact_answers_bracket_the_search(columns):
    assert (columns["search_jsd"] <= columns["exact_upper_bound"] + 1e-6).all()
    assert (columns["exact_jsd"] <= columns["exact_upper_bound"]).all()


def test_decoders_that_are_not_affine_get_bounds():
    model = MODELS["released-pair-bilstm-additive"]
    found = trial(model, params_of(model), batch(), streams.root(0), QUICK)
    assert "exact_jsd" not in found
    assert (found["bound_jsd_low"] <= found["bound_jsd_high"] + 1e-6).all()
    assert (found["search_jsd"] <= found["bound_jsd_high"] + 1e-6).all()
    assert np.isfinite(found["permutation_median_tvd"]).all()


def test_damaged_parameters_are_named_with_their_instances():
    params = jax.tree.map(lambda a: a * np.nan, params_of(MODEL))
    with pytest.raises(UserError, match=r"not finite for some of instances \[0, 1, 2, 3\]"):
        observe(MODEL, params, batch(), streams.root(0))


def test_the_number_of_instances_recompiles_nothing(columns):
    before = [f._cache_size() for f in (trials.importance, trials.counterfactuals, trials.certificates)]
    rows = batch()
    fewer = rows.replace(
        valid=rows.valid & (np.arange(4) < 3)[:, None], weight=rows.weight * (np.arange(4) < 3)
    )
    trial(MODEL, params_of(MODEL), fewer, streams.root(0), QUICK)
    after = [f._cache_size() for f in (trials.importance, trials.counterfactuals, trials.certificates)]
    assert before == after


def test_no_random_key_is_used_twice():
    with jax.debug_key_reuse(True):
        trial(MODEL, params_of(MODEL), batch(), streams.root(0), QUICK)
