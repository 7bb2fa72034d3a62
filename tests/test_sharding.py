"""The same programs on several devices: a batch divided over eight simulated ones gives the same numbers."""

from tests import several_devices

CODE = """
import jax, numpy as np
from attn_jax import devices
from attn_jax import rng as streams
from attn_jax.analyses.adversary import Search
from attn_jax.analyses.trial import Trial, trial
from attn_jax.training.step import initialise, run_chunk
from attn_jax.training.objective import Objective
from attn_jax.training.optimiser import Optimiser
from tests.models.families import MODELS, batch, params_of, row

assert jax.device_count() == 8
place = devices.parse("data=8")
model = MODELS["bilstm-additive"]
rows = jax.tree.map(lambda *parts: np.concatenate(parts), batch(), batch(seed=1))

settings = Trial(epsilon_grid=(0.01,), permutations=5, search=Search(steps=5), permuted_up_to=0)
alone = trial(model, params_of(model), rows, streams.root(0), settings)
spread = place.spread(rows)
assert len(spread.ids.sharding.device_set) == 8
shared = trial(model, place.everywhere(params_of(model)), spread, streams.root(0), settings)
for name, values in alone.items():
    np.testing.assert_allclose(values, shared[name], rtol=1e-4, atol=1e-5, err_msg=name)

def train(batches):
    state = initialise(model, Optimiser(), row(rows, 3), [0], None)
    return run_chunk(state, batches, 2, jax.random.split(jax.random.key(0), 1),
                     objective=Objective(model), optimiser=Optimiser())

stacked = jax.tree.map(lambda a: np.stack([a, a])[None], rows)
state, loss = train(stacked)
other, spread_loss = train(place.spread(stacked, axis=2))
np.testing.assert_allclose(loss, spread_loss, rtol=1e-5)
jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, atol=1e-5), state.params, other.params)
"""


def test_eight_simulated_devices_give_the_numbers_of_one():
    several_devices.run(CODE, 8)
