"""One measurement of `mesh`: seconds of every routine, its batches divided over all devices.

JAX_NUM_CPU_DEVICES=2 python -m benchmarks.mesh_point
"""

import json
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

from attn_jax.devices import AXIS, Devices, parse
from attn_jax.models.attentions import Additive
from attn_jax.models.classifier import SequenceClassifier
from attn_jax.models.encoders import BiLSTM
from attn_jax.models.layers import TokenEmbedding
from attn_jax.training.loop import CHUNK
from attn_jax.training.objective import Objective
from attn_jax.training.step import TrainState, initialise, run_chunk
from benchmarks import routines
from benchmarks.scaling_point import EMBEDDING, texts

WORDS, LENGTH, BATCHES, ROUNDS = 14_000, 24, 4, 5  # words and length of SST


def measured(devices: Devices) -> Iterator[tuple[str, float]]:
    """(routine, seconds) of each; medians after one untimed call."""
    model = SequenceClassifier(TokenEmbedding(WORDS, EMBEDDING), BiLSTM(), Additive(), 2)
    rows = [texts(routines.BATCH * devices.count, LENGTH, seed) for seed in range(BATCHES)]
    state = initialise(model, routines.OPTIMISER, jax.tree.map(lambda a: a[0], rows[0]), [0], None)
    # As many instances whatever the number of devices: two have batches twice as large, half as many.
    spread = [devices.spread(batch) for batch in rows[:: devices.count]]
    subject = routines.Subject(model, state)
    for name, routine in routines.ANALYSES.items():
        yield name, _seconds(lambda routine=routine: routine(subject, spread))
    seen = [(s.alpha, s.token_logits, s.encoded.mask) for s in routines.seen_by(subject, spread)]
    yield "exact_max_jsd", _seconds(lambda: [routines.exact(*row) for row in seen])
    yield "kendall", _seconds(lambda: [routines.kendall(row[0], row[0], row[2]) for row in seen])
    for name, place in (("train, replicated", devices.everywhere), ("train, sharded", _sharded(devices))):
        yield name, _training(model, place(state), devices)


def _sharded(devices: Devices) -> Callable[[TrainState], TrainState]:
    """Puts each device's share of the words' table, and of its moments, on that device alone."""

    def place(leaf: jax.Array) -> jax.Array:
        by_words = leaf.ndim > 1 and leaf.shape[1] == WORDS
        spec = PartitionSpec(None, AXIS) if by_words else PartitionSpec()
        return jax.device_put(leaf, NamedSharding(devices.mesh, spec))  # pyright: ignore

    return lambda state: jax.tree.map(place, state)


def _training(model: SequenceClassifier, state: TrainState, devices: Devices) -> float:
    """Seconds of a chunk of batches of 32, whatever the number of devices."""
    one = texts(routines.BATCH, LENGTH, 0)
    chunk = jax.tree.map(lambda a: np.broadcast_to(a, (1, CHUNK, *a.shape)), one)
    chunk, rngs = devices.spread(chunk, axis=2), devices.everywhere(jax.random.split(routines.RNG, 1))
    kept = [jax.tree.map(jnp.copy, state)]  # each call takes the state of the last and gives the next

    def step() -> Any:
        kept[0], loss = run_chunk(
            *(kept[0], chunk, jnp.int32(CHUNK), rngs),
            objective=Objective(model),
            optimiser=routines.OPTIMISER,
        )
        return loss

    return _seconds(step)


def _seconds(run: Callable[[], Any]) -> float:
    def once() -> float:
        start = time.perf_counter()
        jax.block_until_ready(run())
        return time.perf_counter() - start

    return statistics.median([once() for _ in range(ROUNDS + 1)][1:])


if __name__ == "__main__":
    print(json.dumps(dict(measured(parse(f"data={jax.device_count()}")))))
