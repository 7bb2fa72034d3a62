"""Mini-batch k-means on the device (Sculley 2010), begun by greedy k-means++ as scikit-learn does.

Shapes depend on the settings, never on the number of points: batches are drawn before it runs.
"""

import math

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Int, Key


def plus_plus(rng: Key[Array, ""], points: Float[Array, "N D"], clusters: int) -> Float[Array, "K D"]:
    """Centres among the points, each far from those before (Arthur & Vassilvitskii 2007).

    Of 2 + ln K candidates drawn in proportion to the squared distance the best is taken, as in
    scikit-learn. Points at distance 0 of a centre are drawn only when no others are left.
    """
    trials = 2 + int(math.log(clusters))
    first = jax.random.randint(jax.random.fold_in(rng, 0), (), 0, points.shape[0])

    def add(k, carry):
        centres, gaps = carry
        draws = jax.random.uniform(jax.random.fold_in(rng, k), (trials,)) * gaps.sum()
        places = jnp.clip(jnp.searchsorted(jnp.cumsum(gaps), draws), 0, points.shape[0] - 1)
        closer = jnp.minimum(gaps[None], squared_distances(points[places], points))
        best = jnp.argmin(closer.sum(1))
        return centres.at[k].set(points[places[best]]), closer[best]

    centres = jnp.zeros((clusters, points.shape[1]), points.dtype).at[0].set(points[first])
    gaps = squared_distances(points[first][None], points)[0]
    return jax.lax.fori_loop(1, clusters, add, (centres, gaps))[0]


def refine(centres: Float[Array, "K D"], batches: Float[Array, "R B D"]) -> Float[Array, "K D"]:
    """Moves each centre to the running mean of the points that were nearest to it, batch after batch.

    Differs from scikit-learn: no early stop, and centres that attract little are left where they are.
    """

    def step(carry, batch):
        centres, counts = carry
        labels = nearest(centres, batch)
        new = jax.ops.segment_sum(jnp.ones(batch.shape[0]), labels, centres.shape[0])
        total = jax.ops.segment_sum(batch, labels, centres.shape[0])
        seen = counts + new
        moved = (centres * counts[:, None] + total) / jnp.maximum(seen, 1.0)[:, None]
        return (jnp.where(new[:, None] > 0, moved, centres), seen), None

    (centres, _), _ = jax.lax.scan(step, (centres, jnp.zeros(centres.shape[0])), batches)
    return centres


def nearest(centres: Float[Array, "K D"], points: Float[Array, "N D"]) -> Int[Array, "N"]:
    """The nearest centre of each point, the first of several."""
    return jnp.argmin(squared_distances(points, centres), axis=1)


def squared_distances(a: Float[Array, "N D"], b: Float[Array, "M D"]) -> Float[Array, "N M"]:
    """||a - b||^2 of every pair, by one matrix product."""
    squares = jnp.square(a).sum(1)[:, None] + jnp.square(b).sum(1)[None]
    return jnp.maximum(squares - 2 * a @ b.T, 0.0)
