"""A model trained to give another's outputs with other attention (Wiegreffe & Pinter 2019, section 4).

The whole grid of strengths for all seeds is one program, whose strengths are divided over the devices
(`lanes`): leaves are [S, L, ...], S seeds, L strengths.
"""

import dataclasses
import pathlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float, Int, Key

from attn_jax import divergences, outputs
from attn_jax import rng as streams
from attn_jax.data.batching import Bucket
from attn_jax.data.epochs import chunks_per_epoch, epoch
from attn_jax.devices import ALONE, Devices
from attn_jax.errors import UserError
from attn_jax.models.seam import AttentiveModel
from attn_jax.progress import Bar
from attn_jax.training import lanes
from attn_jax.training.checkpoint import Checkpoint
from attn_jax.training.loop import CHUNK, TrainConfig
from attn_jax.training.objective import Objective, Pass
from attn_jax.training.optimiser import Optimiser
from attn_jax.training.step import initialise, train_on
from attn_jax.types import AnyArray, Example, Params

Divergence = Callable[[Float[Array, "T"], Float[Array, "T"]], Float[Array, ""]]


@dataclasses.dataclass(frozen=True)
class Imitation:
    """TVD(y, y_target) - lambda D(alpha, alpha_target): a loss term.

    D is JSD in Tutek & Snajder (2020), eq. 6, and KL, which has no bound, in Wiegreffe & Pinter (2019).
    """

    target: Params
    strength: float | Float[Array, ""]  # lambda
    divergence: Divergence = divergences.jsd

    def __call__(
        self, model: AttentiveModel, params: Params, example: Example, seen: Pass, rng: Array
    ) -> Float[Array, ""]:
        """The loss of one example."""
        alpha, logits = attention_and_logits(model, self.target, example)
        away = self.divergence(seen.alpha, jax.lax.stop_gradient(alpha))
        told = jax.lax.stop_gradient(outputs.probabilities(logits))
        return divergences.tvd(outputs.probabilities(seen.logits), told) - self.strength * away


class State(NamedTuple):
    """All that training carries."""

    params: Params
    opt_state: Any
    step: Int[Array, "S L"]


class Still(NamedTuple):
    """What training leaves as it is."""

    targets: Params  # [S, ...]
    strengths: Float[Array, "L"]
    rngs: Key[Array, "S"]


def imitate(
    model: AttentiveModel,
    targets: Params,
    train: Sequence[Bucket],
    config: TrainConfig,
    seeds: Sequence[int],
    strengths: Sequence[float],
    *,
    divergence: Divergence = divergences.jsd,
    table: AnyArray | None = None,
    folder: pathlib.Path | None = None,
    progress: bool = True,
) -> Params:
    """Imitators [S, L, ...] of the `targets` [S, ...], each begun from its target's own first weights.

    All strengths of a seed see the same batches. Differs from Wiegreffe & Pinter: a fixed number of
    epochs, no early stop. Goes on from `folder` if it holds an earlier epoch.
    """
    state = _first(model, config.optimiser, train, seeds, len(strengths), table)
    rngs = jnp.stack([streams.stream(streams.root(seed), "imitate") for seed in seeds])
    still = Still(targets, jnp.array(strengths), rngs)
    checkpoint = Checkpoint(folder) if folder else None
    start = 0
    if checkpoint and checkpoint.epoch is not None:
        state, start = checkpoint.restore(state)[0], checkpoint.epoch + 1
    per_epoch = chunks_per_epoch(train, config.batch_size, CHUNK)
    total, done = config.epochs * per_epoch, start * per_epoch
    with Bar(total=total, initial=done, desc="imitate", disable=not progress) as bar:
        for number in range(start, config.epochs):
            state, loss = _epoch(model, config, train, seeds, number, state, still, divergence, bar)
            _check_finite(loss, number)
            if checkpoint:
                checkpoint.save(number, state, {})
    if checkpoint:
        checkpoint.close()
    return state.params


def _epoch(
    model: AttentiveModel,
    config: TrainConfig,
    train: Sequence[Bucket],
    seeds: Sequence[int],
    number: int,
    state: State,
    still: Still,
    divergence: Divergence,
    bar: Bar,
) -> tuple[State, np.ndarray]:
    """One epoch of every imitator, and the losses of its last chunk."""
    by_seed = lanes.of(len(seeds), 1)
    by_strength = lanes.of(len(still.strengths), len(jax.local_devices()))
    rows = [by_strength.apart(row, axis=1) for row in by_seed.apart(state)]
    targets, rngs = by_seed.apart(still.targets), by_seed.apart(still.rngs)
    strengths = by_strength.apart(still.strengths)
    losses = [[np.zeros(0) for _ in row] for row in rows]
    for chunk in epoch(train, config.batch_size, CHUNK, seeds=seeds, number=number):
        for i, own in enumerate(by_seed.split(chunk.batches)):
            for j, strength in enumerate(strengths):
                rows[i][j], losses[i][j] = run_chunk(
                    *(rows[i][j], targets[i], strength, own, jnp.int32(chunk.count), rngs[i]),
                    model=model,
                    optimiser=config.optimiser,
                    divergence=divergence,
                    place=by_strength.place,
                )
        bar.update()
    whole = by_seed.together([by_strength.together(row, axis=1) for row in rows])
    return whole, np.block(losses)


@jax.jit(static_argnames=("model", "optimiser", "divergence", "place"), donate_argnames=("state",))
def run_chunk(
    state: State,
    targets: Params,
    strengths: Float[Array, "L"],
    batches: Example,
    count: Int[Array, ""],
    rngs: Key[Array, "S"],
    *,
    model: AttentiveModel,
    optimiser: Optimiser,
    divergence: Divergence,
    place: Devices = ALONE,
) -> tuple[State, Float[Array, "S L"]]:
    """Trains each imitator on the first `count` of its seed's K stacked batches; sums of the losses.

    Strengths are divided over `place`.
    """

    def lane(carry, strength, target, batches, rng):
        objective = Objective(model, (Imitation(target, strength, divergence),))
        return train_on(objective, optimiser, carry, batches, count, rng)

    # The target is not batched over strengths: its forward pass runs once for all of them.
    grid = jax.vmap(jax.vmap(lane, (0, 0, None, None, None)), (0, None, 0, 0, 0))
    carry, loss = place.each(grid, (1, 0, None, None, None), 1)(
        tuple(state), strengths, targets, batches, rngs
    )
    return State(*carry), loss


def attention_and_logits(model: AttentiveModel, params: Params, example: Example) -> tuple[Array, Array]:
    """What an imitator is held against."""
    encoded = model.encode(params, model.embed(params, example))
    alpha = model.attend(params, encoded)
    return alpha, model.decode(params, encoded, alpha)


def _first(
    model: AttentiveModel,
    optimiser: Optimiser,
    train: Sequence[Bucket],
    seeds: Sequence[int],
    count: int,
    table: AnyArray | None,
) -> State:
    example = jax.tree.map(lambda a: a[0], train[0].rows)
    params = initialise(model, optimiser, example, seeds, table).params
    params = jax.tree.map(lambda a: jnp.repeat(a[:, None], count, axis=1), params)
    opt_state = jax.jit(jax.vmap(jax.vmap(optimiser.build().init)))(params)
    return State(params, opt_state, jnp.zeros((len(seeds), count), jnp.int32))


def _check_finite(loss: Float[AnyArray, "S L"], number: int) -> None:
    if not np.isfinite(loss).all():
        raise UserError(
            f"The imitators' loss is not finite in epoch {number}: lower the learning rate or the strengths."
        )
