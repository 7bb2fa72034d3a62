"""What holds for every saliency method, then each against its plain definition."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from attn_jax import outputs
from attn_jax import rng as streams
from attn_jax.analyses.case import Case
from attn_jax.analyses.gradient import gradient
from attn_jax.analyses.leave_one_out import leave_one_out
from attn_jax.analyses.observe import observe
from attn_jax.analyses.saliency import METHODS, saliency
from attn_jax.analyses.saliency.integrated_gradients import IntegratedGradients
from attn_jax.analyses.saliency.occlusion import Occlusion
from attn_jax.analyses.saliency.smoothgrad import SmoothGrad
from attn_jax.errors import UserError
from tests.models.families import LENGTHS, MODELS, SOME, T, batch, params_of, row

RNG = streams.root(0)
slow = pytest.mark.slow  # compilation bounds these tests
UNSIGNED = [
    name for name in METHODS if not name.startswith("integrated") and name not in ("lrp", "occlusion_signed")
]


def scores(model, rows, methods=METHODS):
    params = params_of(model)
    evidence = observe(model, params, rows, streams.stream(RNG, "attention"))
    return jax.device_get(saliency(model, params, rows, evidence, RNG, methods)), evidence


def seen(model, i=3):
    params, example = params_of(model), row(batch(), i)
    return Case(model, params, example, jax.jit(model.evidence)(params, example), RNG)


@pytest.mark.parametrize(
    "name",
    [
        "average-additive",
        *(pytest.param(n, marks=slow) for n in ("bilstm-additive", "cnn-dot", "pair-bilstm-dot")),
    ],
)
def test_every_method_is_finite_zero_off_the_mask_and_blind_to_padding(name):
    model = MODELS[name]
    short, evidence = scores(model, batch())
    long, _ = scores(model, batch(T + 3))
    mask = np.asarray(evidence.encoded.mask)
    for method in METHODS:
        assert np.isfinite(short[method]).all(), method
        np.testing.assert_array_equal(short[method][~mask], 0, err_msg=method)
        assert np.abs(short[method][LENGTHS.index(T - 2)]).max() > 0, method
        np.testing.assert_allclose(short[method], long[method][:, :T], atol=2e-5, err_msg=method)
    for method in UNSIGNED:
        assert (short[method] >= 0).all(), method


def test_a_batch_is_the_loop_over_its_examples():
    model = MODELS["average-additive"]
    methods = {name: METHODS[name] for name in ("smoothgrad", "lrp")}
    found, _ = scores(model, batch(), methods)
    case = seen(model)
    own = streams.instance(streams.stream(RNG, "attention"), case.example.index)
    alone = jax.jit(lambda: {n: m(dataclasses.replace(case, rng=own)) for n, m in methods.items()})()
    for name, expected in alone.items():
        np.testing.assert_allclose(found[name][3], expected, atol=1e-5, err_msg=name)


def test_gradients_and_deletion_are_those_of_the_trial():
    case = seen(MODELS["average-additive"])
    names = "gradient_x_input", "gradient_l2", "gradient_l1", "occlusion_delete"

    @jax.jit
    def both():
        args = case.model, case.params, case.example
        deleted = leave_one_out(*args, case.logits, RNG)
        return [METHODS[name](case) for name in names], gradient(*args, case.alpha, case.logits), deleted

    (times_input, l2, l1, gone), slopes, deleted = jax.device_get(both())
    np.testing.assert_allclose(times_input, slopes.times_input, rtol=1e-5)
    np.testing.assert_array_equal(l2, slopes.l2)
    np.testing.assert_array_equal(gone, deleted)
    assert (l1 >= l2 - 1e-7).all()
    assert (l1 <= 2 * l2 + 1e-7).all()  # E = 4 numbers a word
    assert (l1 >= np.abs(slopes.total) - 1e-7).all()


@pytest.mark.parametrize("attention", ["frozen", "live"])
@pytest.mark.parametrize(
    ("name", "baseline"),
    [
        ("average-additive", "zero"),
        *(pytest.param(name, "unknown", marks=slow) for name in SOME),
    ],
)
def test_integrated_gradients_are_complete(name, baseline, attention):
    case = seen(MODELS[name])
    method = IntegratedGradients(attention, baseline)
    found = jax.jit(lambda: method.completeness(case))()
    assert abs(found.residual) < 0.01 * abs(found.change) + 1e-5
    assert abs(found.change) > 1e-3


def test_completeness_changes_with_the_steps():
    case = seen(MODELS["average-additive"])
    ways = [IntegratedGradients("live", steps=steps) for steps in (1, 64)]
    coarse, fine = jax.jit(lambda: [way.completeness(case) for way in ways])()
    np.testing.assert_allclose(coarse.change, fine.change, rtol=1e-6)
    assert abs(coarse.residual) > 10 * abs(fine.residual)


def test_way_through_attention_is_the_difference_and_nothing_where_attention_is_fixed():
    names = [f"integrated_gradients{part}" for part in ("", "_live", "_through_attention")]

    def run(model):
        case = seen(MODELS[model])
        return jax.jit(lambda: [METHODS[name](case) for name in names])()

    frozen, live, difference = run("average-additive")
    np.testing.assert_allclose(difference, live - frozen, atol=1e-6)
    assert np.abs(difference).max() > 1e-4
    np.testing.assert_allclose(run("average-uniform")[2], 0, atol=1e-6)


def test_smoothgrad_without_noise_is_the_gradient_and_with_it_depends_on_the_stream():
    case = seen(MODELS["average-additive"])
    still, slope = jax.jit(lambda: (SmoothGrad(3, 0.0)(case), METHODS["gradient_l2"](case)))()
    np.testing.assert_allclose(still, slope, rtol=1e-4, atol=1e-7)
    draw = jax.jit(lambda rng: SmoothGrad(3)(dataclasses.replace(case, rng=rng)))
    noisy, other = draw(streams.root(0)), draw(streams.root(1))
    assert np.abs(noisy - other).max() > 1e-5


@pytest.mark.parametrize(
    ("name", "vector"), [("cnn-additive", "unknown"), pytest.param("pair-average-dot", "zero", marks=slow)]
)
def test_occlusion_is_the_loop_over_replaced_words(name, vector):
    case = seen(MODELS[name])
    model, params, example, logits = case.model, case.params, case.example, case.logits
    embedded = model.embed(params, example)
    unknown = params["embedding"]["table"]["embedding"][1] if vector == "unknown" else jnp.zeros(4)
    unsigned, signed = jax.jit(lambda: [Occlusion(vector, signed)(case) for signed in (False, True)])()
    said, before = int(outputs.predicted(logits)), outputs.probabilities(logits)

    @jax.jit
    def output(x):
        encoded = model.encode(params, embedded.replace(x=x))
        return outputs.probabilities(model.decode(params, encoded, model.attend(params, encoded)))

    for t in np.flatnonzero(example.attendable):
        after = output(embedded.x.at[t].set(unknown))
        np.testing.assert_allclose(signed[t], before[said] - after[said], atol=1e-5)
        np.testing.assert_allclose(unsigned[t], 0.5 * jnp.abs(before - after).sum(), atol=1e-5)


def test_weights_of_another_shape_are_refused():
    model = MODELS["average-additive"]
    params, rows = params_of(model), batch()
    evidence = observe(model, params, rows, RNG)
    folded = evidence.replace(alpha=evidence.alpha[:, None])
    with pytest.raises(UserError, match=r"weights of shape \(1, 7\)"):
        saliency(model, params, rows, folded, RNG, {"attention": METHODS["attention"]})
