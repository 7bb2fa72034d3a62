"""Jain & Wallace's battery on our side, routine by routine, as the PyTorch reference cuts it.

Each routine takes the subject and batches and returns arrays that are still being computed; every one
includes the encode that the reference includes.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from attn_jax import certify, ranking
from attn_jax import rng as streams
from attn_jax.analyses.adversary import Search, adversary
from attn_jax.analyses.gradient import times_input
from attn_jax.analyses.leave_one_out import last_position, leave_one_out
from attn_jax.analyses.observe import counterfactual, observe
from attn_jax.analyses.permutation import permutation
from attn_jax.data.batching import Bucket
from attn_jax.data.epochs import epoch
from attn_jax.devices import ALONE
from attn_jax.models.seam import AttentiveModel
from attn_jax.training.loop import CHUNK
from attn_jax.training.objective import Objective
from attn_jax.training.optimiser import Optimiser
from attn_jax.training.placement import divided
from attn_jax.training.step import TrainState, run_chunk
from attn_jax.types import Evidence, Example, Params

BATCH, EPSILON = 32, 0.01
RNG = streams.root(0)
DEVICES = ALONE.local()  # analyses divide their batches over all, as every experiment does
OPTIMISER = Optimiser(amsgrad=True)  # the reference's: dense Adam with L2 in the gradient


@dataclasses.dataclass
class Subject:
    """A model in training; `state` is replaced after every chunk."""

    model: AttentiveModel
    state: TrainState

    @property
    def params(self) -> Params:
        """Of the one seed that is trained, where analyses run."""
        return DEVICES.everywhere(jax.tree.map(lambda a: a[0], self.state.params))


def train(subject: Subject, buckets: Sequence[Bucket]) -> list[Array]:
    """One epoch of the training loop that every experiment uses."""
    place, losses = divided(ALONE, buckets, BATCH, 1), []
    subject.state, rngs = place.everywhere((subject.state, streams.stream(RNG, "train")[None]))
    for chunk in epoch(buckets, BATCH, CHUNK, seeds=[0], number=0):
        subject.state, loss = run_chunk(
            *(subject.state, place.spread(chunk.batches, axis=2), jnp.int32(chunk.count), rngs),
            objective=Objective(subject.model),
            optimiser=OPTIMISER,
        )
        losses.append(loss)
    return losses


@jax.jit(static_argnums=0)
def _gradient(model: AttentiveModel, params: Params, batch: Example) -> Array:
    return jax.vmap(lambda example: times_input(model, params, example, RNG))(batch)


@jax.jit(static_argnums=0)
def _permutation(model: AttentiveModel, params: Params, batch: Example, seen: Evidence) -> Array:
    def one(example: Example, seen: Evidence) -> Array:
        own = streams.instance(RNG, example.index)
        return permutation(counterfactual(model, params, seen), seen.alpha, seen.encoded.mask, own)

    return jax.vmap(one)(batch, seen)


@jax.jit(static_argnums=0)
def _leave_one_out(model: AttentiveModel, params: Params, batch: Example, seen: Evidence) -> Array:
    until = last_position(batch)

    def one(example: Example, seen: Evidence) -> Array:
        return leave_one_out(model, params, example, seen.logits, RNG, until=until)

    return jax.vmap(one)(batch, seen)


@jax.jit(static_argnums=0)
def _adversary(model: AttentiveModel, params: Params, batch: Example, seen: Evidence) -> Array:
    def one(example: Example, seen: Evidence) -> Array:
        decode, own = counterfactual(model, params, seen), streams.instance(RNG, example.index)
        return adversary(decode, seen.alpha, seen.encoded.mask, EPSILON, own, Search(released=True)).jsd

    return jax.vmap(one)(batch, seen)


@jax.jit
def exact(alpha: Array, token_logits: Array, mask: Array) -> Array:
    """The certified optimum of every row, from states that are encoded already."""
    return jax.vmap(certify.max_jsd, (0, 0, 0, None))(alpha, token_logits, mask, EPSILON).jsd


@jax.jit
def kendall(alpha: Array, scores: Array, mask: Array) -> Array:
    """Tau of attention and another score, of every row."""
    return jax.vmap(ranking.kendall_tau)(alpha, scores, mask).tau


def seen_by(subject: Subject, batches: Sequence[Example]) -> list[Evidence]:
    """What one encode of each batch shows."""
    params = subject.params
    return [observe(subject.model, params, batch, RNG) for batch in batches]


def gradients(subject: Subject, batches: Sequence[Example]) -> list[Array]:
    """J&W's gradient scores, each batch encoded once as in the reference."""
    params = subject.params
    return [_gradient(subject.model, params, batch) for batch in batches]


def _after_encoding(analysis: Callable[..., Array]) -> Callable[[Subject, Sequence[Example]], list[Any]]:
    def routine(subject: Subject, batches: Sequence[Example]) -> list[Any]:
        params = subject.params
        return [
            analysis(subject.model, params, batch, observe(subject.model, params, batch, RNG))
            for batch in batches
        ]

    return routine


# By the reference's names.
ANALYSES: Mapping[str, Callable[[Subject, Sequence[Example]], list[Any]]] = {
    "evaluate": seen_by,
    "gradient": gradients,
    "permutation_100": _after_encoding(_permutation),
    "leave_one_out": _after_encoding(_leave_one_out),
    "adversarial_500": _after_encoding(_adversary),
}
