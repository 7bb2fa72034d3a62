"""What `examples/` shows works: a custom attention goes through every analysis unchanged."""

import inspect

import jax
import numpy as np
from scipy.optimize import minimize

from attn_jax import rng as streams
from attn_jax.analyses.adversary import Search
from attn_jax.analyses.trial import Trial, trial
from attn_jax.models.classifier import SequenceClassifier
from attn_jax.models.encoders import BiLSTM
from attn_jax.models.layers import TokenEmbedding
from examples.custom_attention import Sparsemax
from tests.models.families import LENGTHS, WORDS, E, batch, params_of

MODEL = SequenceClassifier(TokenEmbedding(WORDS, E), BiLSTM(3), Sparsemax(), classes=2)


def test_it_is_under_twenty_lines():
    assert len(inspect.getsource(Sparsemax).splitlines()) < 20


def test_it_is_the_projection_onto_the_simplex():
    params = params_of(MODEL)
    example = jax.tree.map(lambda a: a[3], batch())
    found = np.asarray(MODEL.evidence(params, example).alpha)[example.attendable]
    hidden = np.asarray(MODEL.encode(params, MODEL.embed(params, example)).states)
    weights = jax.tree.map(np.asarray, params["attention"])
    hidden = np.tanh(hidden @ weights["states"]["dense"]["kernel"] + weights["states"]["dense"]["bias"])
    scores = (hidden @ weights["score"]["dense"]["kernel"] + weights["score"]["dense"]["bias"])[:, 0]
    scores = scores[example.attendable]
    nearest = minimize(
        lambda p: ((p - scores) ** 2).sum(),
        np.full(len(scores), 1 / len(scores)),
        bounds=[(0, 1)] * len(scores),
        constraints={"type": "eq", "fun": lambda p: p.sum() - 1},
    )
    np.testing.assert_allclose(found, nearest.x, atol=1e-3)


def test_every_analysis_takes_it():
    settings = Trial(epsilon_grid=(0.01,), permutations=5, search=Search(steps=5))
    columns = trial(MODEL, params_of(MODEL), batch(), streams.root(0), settings)
    np.testing.assert_allclose(columns["alpha"].sum(1), np.array(LENGTHS) > 0, atol=1e-5)
    assert (columns["search_jsd"] <= columns["exact_upper_bound"] + 1e-6).all()
    assert np.isfinite(columns["score/loo"]).all()
