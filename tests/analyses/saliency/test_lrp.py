"""LRP: nothing is lost, and the LSTM's rules are the authors', written as a plain loop."""

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from attn_jax.analyses.case import Case
from attn_jax.analyses.saliency.lrp import LRP, Rule
from attn_jax.analyses.saliency.lrp.lstm import lstm
from attn_jax.errors import UserError
from attn_jax.models.classifier import SequenceClassifier
from attn_jax.models.layers import TokenEmbedding
from attn_jax.models.pair import ReleasedPairClassifier
from attn_jax.models.wrappers import Concat, Residual
from tests.models import document_family
from tests.models.families import ATTENTIONS, ENCODERS, MODELS, WORDS, E, batch, params_of, row

RNG = jax.random.key(0)
NAMES = [
    "bilstm2-dot",
    "cnn-additive",
    "average-dot",
    "concat",
    "residual",
    "released-pair-average",
    "document",
    *(
        pytest.param(name, marks=pytest.mark.slow)
        for name in (
            "bilstm-additive-3",
            "pair-cnn-additive",
            "released-pair-bilstm-additive",
            "rocktaschel-additive",
        )
    ),
]


def wrapped(encoder):
    return SequenceClassifier(TokenEmbedding(WORDS, E), encoder, ATTENTIONS["dot"], classes=2)


AVERAGE = ENCODERS["average"]
WRAPPED = {
    "concat": wrapped(Concat(AVERAGE)),
    "residual": wrapped(Residual(AVERAGE)),
    "released-pair-average": ReleasedPairClassifier(
        TokenEmbedding(WORDS, E), AVERAGE, AVERAGE.clone(), ATTENTIONS["dot"], classes=3
    ),
}


class Words(nn.Module):
    def __call__(self, x, valid):
        return x, x.mean(0)


def double(tree):
    return jax.tree.map(lambda a: jnp.asarray(a, float) if jnp.issubdtype(a.dtype, jnp.floating) else a, tree)


def conservation(name, bias_factor):
    if name == "document":
        model, example = document_family.MODELS["additive"], row(document_family.documents(), 2)
        single = document_family.params_of(model)
    else:
        model, example = (MODELS | WRAPPED)[name], row(batch(), 3)
        single = params_of(model)

    @jax.jit
    def find(params, example):
        seen = model.evidence(params, example)
        method = LRP(Rule(bias_factor=bias_factor))
        return seen.logits, method.conservation(Case(model, params, example, seen, RNG))

    with jax.enable_x64(True):
        return jax.device_get(find(double(single), double(example)))


@pytest.mark.parametrize("name", NAMES)
def test_relevance_is_conserved(name):
    logits, found = conservation(name, 1.0)
    assert logits.dtype == np.float64
    np.testing.assert_allclose(found.words.sum() + found.elsewhere, found.logit, atol=1e-6)
    np.testing.assert_allclose(found.logit, logits.max() if len(logits) > 1 else abs(logits[0]), atol=1e-9)


def test_without_its_share_the_bias_keeps_relevance():
    _, found = conservation("average-dot", 0.0)
    assert abs(found.words.sum() + found.elsewhere - found.logit) > 1e-3


def messages(kernel, inputs, made, bias, relevance, count, rule):
    sign = np.where(made >= 0, 1.0, -1.0)
    numerator = kernel * inputs[:, None] + rule.bias_factor * (bias + rule.epsilon * sign)[None] / count
    return (numerator / (made + rule.epsilon * sign)[None] * relevance[None]).sum(1)


def loop(rule, params, x, relevance):
    """Arras et al.'s procedure, one step and one message matrix at a time."""
    size = params["recurrent"].shape[0]
    sigmoid = lambda a: 1 / (1 + np.exp(-a))  # noqa: E731
    h, c, steps = np.zeros(size), np.zeros(size), []
    for word in x:
        gates = word @ params["input"]["kernel"] + params["input"]["bias"] + h @ params["recurrent"]
        i, f, g, o = np.split(gates, 4)
        new = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        steps.append((h, sigmoid(f) * c, sigmoid(i) * np.tanh(g), new, g))
        h, c = sigmoid(o) * np.tanh(new), new
    own = slice(2 * size, 3 * size)
    eye, bias = np.eye(size), params["input"]["bias"][own]
    r_h, r_c, found = np.zeros(size), np.zeros(size), np.zeros_like(x)
    for t in reversed(range(len(x))):
        h, kept, written, c, g = steps[t]
        r_h = r_h + relevance[t]
        r_c = r_c + r_h
        r_g = messages(eye, written, c, np.zeros(size), r_c, 2 * size, rule)
        r_c = messages(eye, kept, c, np.zeros(size), r_c, 2 * size, rule)
        count = x.shape[1] + size
        found[t] = messages(params["input"]["kernel"][:, own], x[t], g, bias, r_g, count, rule)
        r_h = messages(params["recurrent"][:, own], h, g, bias, r_g, count, rule)
    return found, r_h.sum() + r_c.sum()


@pytest.mark.parametrize("bias_factor", [0.0, 0.5])
@pytest.mark.parametrize("reverse", [False, True])
def test_lstm_is_the_authors_loop(reverse, bias_factor):
    rule, draw = Rule(bias_factor=bias_factor), np.random.default_rng(0)
    params = {
        "input": {"kernel": draw.normal(size=(4, 12)), "bias": draw.normal(size=12)},
        "recurrent": draw.normal(size=(3, 12)),
    }
    x, relevance = draw.normal(size=(6, 4)), draw.normal(size=(6, 3))
    x[4:], relevance[4:] = 0, 0  # padding
    with jax.enable_x64(True):
        arrays = jax.tree.map(jnp.asarray, (params, x, np.arange(6) < 4, relevance))
        found, left = jax.device_get(jax.jit(lambda: lstm(rule, *arrays, reverse=reverse))())
    turn = slice(None, None, -1) if reverse else slice(None)
    expected, expected_left = loop(rule, params, x[:4][turn], relevance[:4][turn])
    np.testing.assert_allclose(found[:4], expected[turn], rtol=1e-6, atol=1e-9)
    np.testing.assert_array_equal(found[4:], 0)
    np.testing.assert_allclose(left, expected_left, rtol=1e-6, atol=1e-9)


def test_an_encoder_without_a_rule_is_named():
    model = wrapped(Words())
    params, example = params_of(model), row(batch(), 3)
    seen = jax.jit(model.evidence)(params, example)
    with pytest.raises(UserError, match="no rule for the encoder Words"):
        LRP()(Case(model, params, example, seen, RNG))
