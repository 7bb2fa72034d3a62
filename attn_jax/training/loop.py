"""Training from buckets to the best parameters of every seed, resumable after each epoch."""

import dataclasses
import functools
import pathlib
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Key

from attn_jax import rng as streams
from attn_jax.data.batching import Bucket, at_once, batches
from attn_jax.data.epochs import chunks_per_epoch, epoch
from attn_jax.devices import ALONE, Devices
from attn_jax.errors import UserError
from attn_jax.models.seam import AttentiveModel
from attn_jax.progress import Bar
from attn_jax.training import lanes, metrics
from attn_jax.training.checkpoint import Checkpoint
from attn_jax.training.objective import Objective
from attn_jax.training.optimiser import PAPER, Optimiser
from attn_jax.training.step import TrainState, initialise, keep_best, predict, run_chunk
from attn_jax.types import AnyArray, Params

CHUNK = 8  # batches a dispatch: enough to hide the host, few enough to mix buckets


@dataclasses.dataclass(frozen=True)
class TrainConfig:
    """J&W's settings for classification; pair tasks and other papers say theirs."""

    epochs: int = 8
    batch_size: int = 32
    optimiser: Optimiser = PAPER
    last: bool = False  # each seed is kept as its last epoch left it, not as its best on dev


# Stacked parameters in, a number per seed for each name out.
Watch = Callable[[Params], Mapping[str, np.ndarray]]


# (model, stacked parameters, dev buckets, batch size, streams) in, the score's name and one per seed out.
Judge = Callable[[AttentiveModel, Params, Sequence[Bucket], int, Key[Array, "S"]], tuple[str, np.ndarray]]


class Fit(NamedTuple):
    """Parameters of each seed's best dev epoch, stacked, and one row of metrics per seed and epoch."""

    params: Params
    history: list[dict]


def fit(
    objective: Objective,
    train: Sequence[Bucket],
    dev: Sequence[Bucket],
    config: TrainConfig,
    seeds: Sequence[int],
    *,
    table: AnyArray | None = None,
    weights: Params | None = None,
    folder: pathlib.Path | None = None,
    progress: bool = True,
    watch: Watch | None = None,
    judge: Judge | None = None,
    devices: Devices = ALONE,
) -> Fit:
    """Trains all seeds in one program; goes on from `folder` if it holds an earlier epoch.

    What `watch` sees in the parameters after each epoch joins the history; the best epoch is that of the
    highest score by `judge`, on decisions (`evaluate`) if not given. Batches are divided over `devices`.
    """
    example = jax.tree.map(lambda a: a[0], train[0].rows)
    state = initialise(objective.model, config.optimiser, example, seeds, table, weights)
    checkpoint = Checkpoint(folder) if folder else None
    history: list[dict] = []
    if checkpoint and checkpoint.epoch is not None:
        state, note = checkpoint.restore(state)
        history = note["history"]
    rngs = jnp.stack([streams.stream(streams.root(seed), "train") for seed in seeds])
    state, rngs = devices.everywhere((state, rngs))
    judge = judge or functools.partial(evaluate, devices=devices)
    per_epoch = chunks_per_epoch(train, config.batch_size, CHUNK)
    start = len(history) // len(seeds)
    with Bar(
        total=config.epochs * per_epoch, initial=start * per_epoch, desc="train", disable=not progress
    ) as bar:
        for number in range(start, config.epochs):
            state, loss = _train_epoch(objective, config, train, seeds, number, state, rngs, devices, bar)
            name, scores = judge(objective.model, state.params, dev, config.batch_size, rngs)
            worth = np.full_like(scores, number) if config.last else scores
            state = keep_best(state, jnp.asarray(worth), jnp.int32(number))
            seen = watch(state.params) if watch else {}
            history += _rows(seeds, number, {"loss": loss, f"dev_{name}": scores, **seen})
            bar.set_postfix({f"dev {name}": f"{np.mean(scores):.3f}"})
            if checkpoint:
                checkpoint.save(number, state, {"history": history})
    if checkpoint:
        checkpoint.close()
    return Fit(state.best_params, history)


def evaluate(
    model: AttentiveModel,
    params: Params,
    buckets: Sequence[Bucket],
    batch_size: int,
    rngs: Key[Array, "S"],
    *,
    devices: Devices = ALONE,
) -> tuple[str, np.ndarray]:
    """The selection metric's name and its value for each seed."""
    logits, labels = logits_of(model, params, buckets, batch_size, rngs, devices=devices)
    scored = [metrics.selection(seed_logits, labels) for seed_logits in logits]
    return scored[0][0], np.array([score for _, score in scored], np.float32)


def logits_of(
    model: AttentiveModel,
    params: Params,
    buckets: Sequence[Bucket],
    batch_size: int,
    rngs: Key[Array, "S"],
    *,
    devices: Devices = ALONE,
) -> tuple[np.ndarray, np.ndarray]:
    """Logits [S, N, C] and labels [N] of every instance, bucket after bucket."""
    logits, labels = [], []
    for bucket in buckets:
        for batch in batches(bucket, min(batch_size, at_once(bucket, devices.count))):
            real = batch.weight > 0
            found = predict(params, devices.spread(batch), rngs, model=model)
            logits.append(devices.fetch(found)[:, real])
            labels.append(batch.label[real])
    return np.concatenate(logits, axis=1), np.concatenate(labels)


def _train_epoch(
    objective: Objective,
    config: TrainConfig,
    train: Sequence[Bucket],
    seeds: Sequence[int],
    number: int,
    state: TrainState,
    rngs: Array,
    devices: Devices,
    bar: Bar,
) -> tuple[TrainState, np.ndarray]:
    """One epoch; losses stay on the device until its end, so that no chunk waits for the host."""
    own_devices = len(jax.local_devices()) if devices.mesh is None else 1
    turns = lanes.of(len(seeds), own_devices)
    states, keys = turns.apart(state), turns.apart(rngs)
    totals, count = [[] for _ in states], 0
    order = {"seeds": seeds, "number": number, "parts": devices.count}
    for chunk in epoch(train, config.batch_size, CHUNK, **order):
        for turn, own in enumerate(turns.split(chunk.batches)):
            states[turn], loss = run_chunk(
                states[turn],
                devices.spread(own, axis=2),
                jnp.int32(chunk.count),
                keys[turn],
                objective=objective,
                optimiser=config.optimiser,
                place=turns.place,
            )
            totals[turn].append(loss)
        count += chunk.count
        bar.update()
    state = turns.together(states)
    mean = np.concatenate([np.sum(jax.device_get(own), axis=0) for own in totals]) / count
    if not np.isfinite(mean).all():
        raise UserError(
            f"The training loss is not finite in epoch {number} (seeds {list(seeds)}): "
            "lower the learning rate or look for empty or damaged texts."
        )
    return state, mean


def _rows(seeds: Sequence[int], number: int, columns: Mapping[str, np.ndarray]) -> list[dict]:
    return [
        {"epoch": number, "seed": seed, **{name: float(values[s]) for name, values in columns.items()}}
        for s, seed in enumerate(seeds)
    ]
