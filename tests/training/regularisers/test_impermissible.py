"""The term that hides attention: its value, its limits, and that training follows it."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from attn_jax.data.batching import bucketise
from attn_jax.errors import UserError
from attn_jax.training.dev_loss import DevLoss
from attn_jax.training.loop import TrainConfig, fit
from attn_jax.training.objective import Likelihood, Objective, Pass
from attn_jax.training.regularisers.impermissible import Impermissible, exposure
from attn_jax.training.regularisers.impermissible_alignment import ImpermissibleAlignment
from attn_jax.types import Encoded
from tests.training.test_fit import CONFIG, MODEL, VOCABULARY, texts

ALPHA, MASK = jnp.array([0.5, 0.3, 0.2, 0.0]), jnp.array([True, True, True, False])
EXAMPLE = jax.tree.map(lambda a: jnp.asarray(a[0]), bucketise(texts(3), VOCABULARY, 2, (12,))[0].rows)


def test_it_is_the_logarithm_of_the_mass_outside_the_group():
    found = exposure(ALPHA, MASK, jnp.array([True, False, False, False]))
    np.testing.assert_allclose(found, -np.log(0.5), rtol=1e-6)
    np.testing.assert_allclose(exposure(ALPHA, MASK, jnp.zeros(4, bool)), 0, atol=1e-6)


def test_a_group_of_all_tokens_costs_nothing_and_all_weight_on_the_group_stays_finite():
    assert exposure(ALPHA, MASK, jnp.ones(4, bool)) == 0
    value, slope = jax.value_and_grad(exposure)(
        jnp.array([1.0, 0.0, 0.0, 0.0]), MASK, jnp.array([True, False, False, False])
    )
    assert np.isfinite(value)
    assert np.isfinite(slope).all()


def test_without_marks_it_asks_for_them():
    seen = Pass(None, None, ALPHA, None)  # pyright: ignore[reportArgumentType]
    with pytest.raises(UserError, match="rationale"):
        Impermissible(1.0)(MODEL, {}, EXAMPLE, seen, jax.random.key(0))


def test_words_written_have_each_their_own_token_to_hide():
    alpha = jnp.array([[0.5, 0.5, 0.0], [0.25, 0.0, 0.75], [1.0, 0.0, 0.0]])
    encoded = Encoded(jnp.zeros((3, 2)), jnp.ones((3, 3), bool))
    seen = Pass(None, encoded, alpha, None)  # pyright: ignore[reportArgumentType]
    found = ImpermissibleAlignment(2.0, (1, 0))(MODEL, {}, EXAMPLE, seen, jax.random.key(0))
    np.testing.assert_allclose(found, -np.log(0.5) - np.log(0.75), rtol=1e-6)


def test_training_judged_by_the_whole_loss_hides_the_first_word():
    marked = [dataclasses.replace(t, rationale=(True,) + (False,) * (len(t.tokens) - 1)) for t in texts(37)]
    train = bucketise([t for t in marked if len(t.tokens) > 1], VOCABULARY, 2, ladder=(12,))
    config = TrainConfig(12, 4, CONFIG.optimiser)

    def mass(strength):
        objective = Objective(MODEL, (Likelihood(), Impermissible(strength)))
        fitted = fit(objective, train, train, config, [0], progress=False, judge=DevLoss(objective))
        params = jax.tree.map(lambda a: a[0], fitted.params)
        rows = jax.tree.map(jnp.asarray, train[0].rows)
        alpha = jax.vmap(lambda example: MODEL.evidence(params, example).alpha)(rows)
        return jnp.where(rows.rationale, alpha, 0.0).sum(-1).mean()

    assert mass(1.0) < 0.5 * mass(0.0)
