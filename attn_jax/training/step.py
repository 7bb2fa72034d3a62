"""The jitted programs of training. Every array of a state has a leading axis of seeds."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import chex
import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Int, Key

from attn_jax import rng as streams
from attn_jax.devices import ALONE, Devices
from attn_jax.models.layers import word_vectors
from attn_jax.models.seam import AttentiveModel
from attn_jax.training.objective import Objective
from attn_jax.training.optimiser import Optimiser
from attn_jax.types import AnyArray, Example, Params

Loss = Callable[[Params, Example, Key[Array, ""]], Float[Array, ""]]  # of one batch
Carry = tuple[Params, Any, Int[Array, ""]]  # parameters, optimiser's state, steps done


class TrainState(NamedTuple):
    """All that training carries, and the parameters of the best epoch so far."""

    params: Params
    opt_state: Any
    step: Int[Array, "S"]
    best_params: Params
    best_score: Float[Array, "S"]
    best_epoch: Int[Array, "S"]


def initialise(
    model: AttentiveModel,
    optimiser: Optimiser,
    example: Example,
    seeds: Sequence[int],
    table: AnyArray | None,
    weights: Params | None = None,
) -> TrainState:
    """Fresh states of all seeds, stacked; `table` [V, E] replaces the drawn word vectors where not NaN.

    `weights` is a part of the tree that was trained elsewhere; it replaces what was drawn there.

    Seeds are drawn one by one: `vmap` of a BiLSTM's `init` hangs on the CPU at paper size.
    """
    trees = [model.init_params(streams.stream(streams.root(seed), "init"), example) for seed in seeds]
    params = jax.tree.map(lambda *leaves: jnp.stack(leaves), *trees)
    if table is not None:
        table, drawn = jnp.asarray(table), params["embedding"]["table"]["embedding"]
        for name in word_vectors(params):  # each in an array of its own, since a step donates them all
            params[name]["table"]["embedding"] = jnp.where(jnp.isnan(table)[None], drawn, table[None])
    if weights is not None:
        params = _replaced(params, weights, len(seeds))
    return TrainState(
        params,
        jax.jit(jax.vmap(optimiser.build().init))(params),
        jnp.zeros(len(seeds), jnp.int32),
        jax.tree.map(jnp.copy, params),
        jnp.full(len(seeds), -jnp.inf, jnp.float32),  # weak, it would compile all anew in the second epoch
        jnp.zeros(len(seeds), jnp.int32),
    )


def _replaced(params: Params, weights: Params, seeds: int) -> Params:
    """`params` with the leaves that `weights` has, the same for all seeds."""
    if not isinstance(weights, Mapping):
        leaf = jnp.asarray(weights)
        chex.assert_shape(leaf, params.shape[1:])
        return jnp.broadcast_to(leaf, (seeds, *leaf.shape)).copy()
    return {**params, **{name: _replaced(params[name], part, seeds) for name, part in weights.items()}}


@jax.jit(static_argnames=("objective", "optimiser", "place"), donate_argnames=("state",))
def run_chunk(
    state: TrainState,
    batches: Example,
    count: Int[Array, ""],
    rngs: Key[Array, "S"],
    *,
    objective: Objective,
    optimiser: Optimiser,
    place: Devices = ALONE,
) -> tuple[TrainState, Float[Array, "S"]]:
    """Trains each seed on the first `count` of its K stacked batches; returns the sum of their losses.

    Seeds are divided over `place`.

    A loop with a traced bound, not a scan over padding: batches that fill a chunk cost nothing, and
    the number of instances never recompiles.
    """

    def train(carry, batches, rng):
        return train_on(objective, optimiser, carry, batches, count, rng)

    carry = state.params, state.opt_state, state.step
    trained = place.each(jax.vmap(train), (0, 0, 0), 0)
    (params, opt_state, done), loss = trained(carry, batches, rngs)
    return state._replace(params=params, opt_state=opt_state, step=done), loss


def train_on(
    objective: Loss,
    optimiser: Optimiser,
    carry: Carry,
    batches: Example,
    count: Int[Array, ""],
    rng: Key[Array, ""],
) -> tuple[Carry, Float[Array, ""]]:
    """One seed on the first `count` of K stacked batches: its new carry and the sum of the losses."""
    transform = optimiser.build()

    def body(i, loop):
        (params, opt_state, number), total = loop
        batch = jax.tree.map(lambda a: a[i], batches)
        loss, grads = jax.value_and_grad(objective)(params, batch, jax.random.fold_in(rng, number))
        updates, opt_state = transform.update(grads, opt_state, params)
        params = jax.tree.map(jnp.add, params, updates)
        return (params, opt_state, number + 1), total + loss

    return jax.lax.fori_loop(0, count, body, (carry, jnp.zeros(())))


@jax.jit(donate_argnames=("state",))
def keep_best(state: TrainState, score: Float[Array, "S"], epoch: Int[Array, ""]) -> TrainState:
    """Remembers each seed's parameters if its score beats all earlier ones."""
    better = score > state.best_score

    def choose(new, old):
        return jnp.where(better.reshape(-1, *(1,) * (new.ndim - 1)), new, old)

    return state._replace(
        best_params=jax.tree.map(choose, state.params, state.best_params),
        best_score=jnp.maximum(score, state.best_score),
        best_epoch=jnp.where(better, epoch, state.best_epoch),
    )


@jax.jit(static_argnames=("model",))
def predict(
    params: Params, batch: Example, rngs: Key[Array, "S"], *, model: AttentiveModel
) -> Float[Array, "S B C"]:
    """Logits of one batch for each seed, each instance with its own stream for random attention."""

    def one(params, rng, example):
        return model.forward(params, example, rngs={"attention": streams.instance(rng, example.index)})

    return jax.vmap(jax.vmap(one, (None, None, 0)), (0, 0, None))(params, rngs, batch)
