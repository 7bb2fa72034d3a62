"""How much of a word is left in its state? Mutual information of two clusterings.

Tutek & Snajder (2020), section 3.4, after Voita et al. (2019): both sides are cut into clusters, whose
labels stand for the vectors.
"""

import dataclasses
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float, Int, Key

from attn_jax import rng as streams
from attn_jax.analyses.kmeans import nearest, plus_plus, refine

BLOCK = 8192  # points assigned at once


@dataclasses.dataclass(frozen=True)
class Clustering:
    """k = 1000 and batches of 100, as the paper says; first centres from 3k points, as scikit-learn's."""

    clusters: int = 1000
    batch: int = 100
    steps: int = 1000


def information(
    rng: Key[Array, ""],
    words: Float[np.ndarray, "N E"],
    states: Float[np.ndarray, "N H"],
    settings: Clustering,
) -> float:
    """Mutual information in nats of word vectors and states, row by row, after clustering each side."""
    sides = {"words": words, "states": states}
    labels = [discretise(streams.stream(rng, name), side, settings) for name, side in sides.items()]
    return mutual_information(*labels)


def mutual_information(a: Int[np.ndarray, "N"], b: Int[np.ndarray, "N"]) -> float:
    """I(A; B) of two labellings, in nats, from their joint counts."""
    _, a = np.unique(a, return_inverse=True)
    _, b = np.unique(b, return_inverse=True)
    width = b.max() + 1
    joint = np.bincount(a * width + b, minlength=(a.max() + 1) * width).reshape(-1, width) / len(a)
    independent = joint.sum(1, keepdims=True) * joint.sum(0, keepdims=True)
    there = joint > 0
    return float((joint[there] * np.log(joint[there] / independent[there])).sum())


def discretise(
    rng: Key[Array, ""], points: Float[np.ndarray, "N D"], settings: Clustering
) -> Int[np.ndarray, "N"]:
    """The cluster of each point."""
    centres = _centres(rng, *_drawn(rng, points, settings), clusters=settings.clusters)
    labels = [
        np.asarray(_nearest(centres, _filled(points[start : start + BLOCK])))
        for start in range(0, len(points), BLOCK)
    ]
    return np.concatenate(labels)[: len(points)]


def _drawn(rng: Key[Array, ""], points: np.ndarray, settings: Clustering) -> tuple[np.ndarray, np.ndarray]:
    """Points to begin from and batches to learn from, drawn with replacement."""
    host = np.random.default_rng(np.asarray(jax.random.key_data(rng)))
    first = points[host.integers(len(points), size=3 * settings.clusters)]
    return first, points[host.integers(len(points), size=(settings.steps, settings.batch))]


@partial(jax.jit, static_argnames="clusters")
def _centres(rng: Key[Array, ""], first: Array, batches: Array, *, clusters: int) -> Array:
    return refine(plus_plus(rng, first, clusters), batches)


_nearest = jax.jit(nearest)


def _filled(block: np.ndarray) -> Array:
    """The block lengthened to BLOCK rows, so that one program serves all."""
    return jnp.asarray(np.pad(block, ((0, BLOCK - len(block)), (0, 0))))
