"""One of two processes that share a mesh: run by test_sharding_processes with a port and its number."""

import sys

import jax
import numpy as np

from attn_jax import devices
from attn_jax import rng as streams
from attn_jax.analyses.observe import observe
from attn_jax.training.objective import Objective
from attn_jax.training.optimiser import Optimiser
from attn_jax.training.step import initialise, run_chunk
from tests.models.families import MODELS, batch, params_of, row


def trained(place: devices.Devices):
    """Loss and parameters after two steps on batches divided over the mesh."""
    model, rows = MODELS["bilstm-additive"], batch()
    state = place.everywhere(initialise(model, Optimiser(), row(rows, 3), [0], None))
    stacked = place.spread(jax.tree.map(lambda a: np.stack([a, a])[None], rows), axis=2)
    rngs = place.everywhere(jax.random.split(jax.random.key(0), 1))
    state, loss = run_chunk(state, stacked, 2, rngs, objective=Objective(model), optimiser=Optimiser())
    return {"loss": place.fetch(loss)} | {
        jax.tree_util.keystr(path): place.fetch(leaf)
        for path, leaf in jax.tree_util.tree_leaves_with_path(state.params)
    }


def main(port: str, number: str, out: str) -> None:
    """Trains with the other, then looks at its own share of four batches."""
    devices.connect(f"127.0.0.1:{port}", 2, int(number))
    place = devices.parse(None)
    assert jax.process_count() == 2
    assert place.mesh is not None
    assert place.mesh.devices.size == 2
    np.savez(f"{out}/trained-{number}.npz", **trained(place))
    model = MODELS["bilstm-additive"]
    own = place.local()
    params = own.everywhere(params_of(model))
    shares = {
        str(i): np.asarray(observe(model, params, own.spread(rows), streams.root(0)).alpha)
        for i, rows in devices.mine(list(enumerate(batch(seed=seed) for seed in range(4))))
    }
    np.savez(f"{out}/share-{number}.npz", **shares)
    devices.wait("both are done")


if __name__ == "__main__":
    main(*sys.argv[1:])
