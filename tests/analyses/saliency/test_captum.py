"""Our saliency methods against captum's on the same weights; the extra `captum` brings it."""

import jax
import numpy as np
import pytest

from attn_jax import outputs
from attn_jax import rng as streams
from attn_jax.analyses.observe import observe
from attn_jax.analyses.saliency import METHODS, saliency
from attn_jax.analyses.saliency.smoothgrad import SmoothGrad
from tests.models.families import MODELS, batch, params_of

# Importing captum warns of what its own dependencies will change.
pytestmark = pytest.mark.filterwarnings("default")
EXTRA = "captum is an extra: pip install -e .[captum]"
torch = pytest.importorskip("torch", reason=EXTRA)
rules = pytest.importorskip("captum.attr._utils.lrp_rules", reason=EXTRA)
torch_twin = pytest.importorskip("benchmarks.torch_twin", reason=EXTRA)

RNG = streams.root(0)
ROWS = slice(1, None)  # captum has no texts without words
SHARED = (
    "gradient_l1",
    "gradient_l2",
    "gradient_x_input",
    "integrated_gradients",
    "integrated_gradients_live",
    "occlusion_signed",
)


@pytest.fixture(
    scope="module", params=["bilstm-additive", "cnn-additive", "average-additive", "bilstm-additive-3"]
)
def both(request):
    """Our scores, and a function to captum's."""
    model, rows = MODELS[request.param], jax.tree.map(lambda a: a[ROWS], batch())
    params = params_of(model)
    evidence = observe(model, params, rows, streams.stream(RNG, "attention"))
    # Without noise the two draw alike.
    methods = {name: METHODS[name] for name in SHARED} | {"smoothgrad": SmoothGrad(3, 0.0)}
    ours = jax.device_get(saliency(model, params, rows, evidence, RNG, methods))
    x = jax.vmap(lambda e: model.embed(params, e).x)(rows)
    arrays = (x, rows.valid, rows.attendable, evidence.alpha, outputs.predicted(evidence.logits))
    *tensors, said = (torch.from_numpy(np.array(a)) for a in arrays)
    texts = torch_twin.Texts(*tensors, said.long())
    twin = torch_twin.Twin(model, jax.device_get(params))
    made = twin(texts.x, *texts.frozen).detach().numpy()
    np.testing.assert_allclose(made, outputs.probabilities(evidence.logits), atol=1e-5)
    effort = torch_twin.Effort(64, 3, 0.0)
    return ours, lambda name: torch_twin.attribute(twin, name, texts, effort).numpy()


@pytest.mark.parametrize("name", [*SHARED, "smoothgrad"])
def test_captum_agrees(both, name):
    ours, captums = both
    assert np.abs(ours[name]).max() > 1e-3
    np.testing.assert_allclose(ours[name], captums(name), atol=1e-4)


def test_relevance_is_captums_where_it_has_the_layers():
    """captum knows linear layers and ReLU: the Average encoder, its attention as a linear map of tokens."""
    model = MODELS["average-additive"]
    rows = jax.tree.map(lambda a: a[3:], batch())
    params = params_of(model)
    evidence = observe(model, params, rows, streams.stream(RNG, "attention"))
    ours = jax.device_get(saliency(model, params, rows, evidence, RNG, {"lrp": METHODS["lrp"]}))["lrp"]
    net = Linears(jax.device_get(params), np.array(evidence.alpha), np.asarray(evidence.logits)[0, 0] > 0)
    x = torch.from_numpy(np.array(jax.vmap(lambda e: model.embed(params, e).x)(rows)))
    found = torch_twin.LRP(net).attribute(x.requires_grad_(), target=0).sum(-1).detach().numpy()
    assert np.abs(ours).max() > 1e-3
    np.testing.assert_allclose(ours, np.where(rows.attendable, found, 0), atol=1e-4)


class Linears(torch.nn.Module):
    """The logit that speaks for the decision."""

    def __init__(self, params, alpha, positive):
        super().__init__()
        self.project = torch_twin.linear(params["encoder"]["project"]["dense"])
        self.relu = torch.nn.ReLU()
        self.pooling = torch_twin.linear({"kernel": alpha.T})
        sign = 1.0 if positive else -1.0
        self.decoder = torch_twin.linear({k: sign * v for k, v in params["decoder"]["dense"].items()})
        for layer in (self.project, self.pooling, self.decoder):
            layer.rule = rules.EpsilonRule(epsilon=1e-3)

    def forward(self, x):
        states = self.relu(self.project(x)).transpose(1, 2)
        return self.decoder(self.pooling(states)[..., 0])
