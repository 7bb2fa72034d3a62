"""Vashishth's tests of a batch against the seam, one example and one alteration at a time."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from attn_jax import divergences, outputs
from attn_jax import rng as streams
from attn_jax.analyses.reliance import reliance
from attn_jax.models.alterations import ALTERATIONS
from tests.models import document_family, families
from tests.models.families import row

RNG = streams.root(3)
ALTER = tuple(ALTERATIONS)


def case(name):
    if name == "documents":
        model = document_family.MODELS["additive"]
        return model, document_family.params_of(model), document_family.documents()
    model = families.MODELS[name]
    return model, families.params_of(model), families.batch()


@pytest.fixture(scope="module", params=["average-additive", "pair-average-dot", "documents"])
def found(request):
    model, params, batch = case(request.param)
    return model, params, batch, reliance(model, params, batch, RNG, ALTER)


def test_each_alteration_is_that_of_forward_altered_with_the_instances_own_stream(found):
    model, params, batch, columns = found
    places = {"": model.sites}
    if len(model.sites) > 1:
        places |= {"_word": ("word",), "_sentence": ("sentence",)}
    for i in (3,) if len(model.sites) > 1 else (1, 2, 3):  # a document is slow outside of jit
        example = row(batch, i)
        said = outputs.probabilities(model.forward(params, example))
        np.testing.assert_allclose(columns["probabilities"][i], said, atol=1e-6)
        own = streams.instance(RNG, example.index)
        for name, alter in ALTERATIONS.items():
            for suffix, sites in places.items():
                rng = streams.stream(own, name)
                logits = model.forward_altered(params, example, dict.fromkeys(sites, alter), rng)
                moved = divergences.tvd(outputs.probabilities(logits), said)
                np.testing.assert_allclose(columns[f"tvd_{name}_infer{suffix}"][i], moved, atol=1e-5)
                assert columns[f"prediction_{name}_infer{suffix}"][i] == outputs.predicted(logits)


def test_weights_sum_to_one_over_the_text(found):
    _, _, batch, columns = found
    alpha = columns["alpha"]
    assert (alpha[~np.asarray(batch.attendable)] == 0).all()
    summed = alpha.reshape(len(alpha), -1).sum(-1)
    np.testing.assert_allclose(summed, np.asarray(batch.weight), atol=1e-6)
    np.testing.assert_allclose(columns["max_attention"], alpha.reshape(len(alpha), -1).max(-1))


def test_permutations_of_one_word_change_nothing_and_of_many_something(found):
    moved = found[3]["permutation_median_tvd"]
    assert moved[1] == pytest.approx(0, abs=1e-6)
    assert 0 < moved[3] <= 1


def test_below_two_weights_nothing_is_removed(found):
    columns = found[3]
    for name in ("delta_alpha", "delta_js", "top_flips", "other_flips"):
        values = columns[f"removed_{name}"]
        assert np.isnan(values[:2]).all()
        assert np.isfinite(values[3])
    assert columns["removed_delta_alpha"][3] >= 0


def test_the_stored_permutation_is_the_one_behind_the_prediction():
    model, params, batch = case("average-additive")
    columns = reliance(model, params, batch, RNG, ALTER)
    for i in (2, 3):
        seen = model.evidence(params, row(batch, i))
        drawn = jnp.asarray(columns["score/permuted_alpha"][i])
        np.testing.assert_allclose(np.sort(drawn), np.sort(seen.alpha), atol=1e-6)
        logits = model.decode(params, seen.encoded, drawn)
        assert outputs.predicted(logits) == columns["prediction_permute_infer"][i]


def test_one_text_is_gated_and_two_are_not():
    gaps = {}
    for name in ("average-additive", "pair-average-dot"):
        model, params, batch = case(name)
        gaps[name] = reliance(model, params, batch, RNG, ALTER)["gating_gap"]
    assert gaps["average-additive"].max() < 1e-5
    assert gaps["pair-average-dot"].max() > 0.01  # not of every text: a ReLU may leave no query


def test_padding_rows_and_batches_do_not_matter():
    model, params, batch = case("average-additive")
    whole = reliance(model, params, batch, RNG, ALTER)
    turned = reliance(model, params, jax.tree.map(lambda a: np.flip(a, 0).copy(), batch), RNG, ALTER)
    for name, values in whole.items():
        np.testing.assert_allclose(turned[name][::-1], values, atol=1e-6)
