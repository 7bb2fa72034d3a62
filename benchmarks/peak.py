"""What the machine could do: its matrix-multiply peak, and the operations each routine needs."""

import dataclasses
import time

import jax
import jax.numpy as jnp
import numpy as np

SIZE, REPEATS = 2048, 5


def flops() -> float:
    """Operations a second of a large float32 matrix product, the best of some runs."""
    square = jnp.ones((SIZE, SIZE))
    product = jax.jit(lambda a: a @ a)
    jax.block_until_ready(product(square))
    seconds = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        jax.block_until_ready(product(square))
        seconds.append(time.perf_counter() - start)
    return 2 * SIZE**3 / min(seconds)


@dataclasses.dataclass(frozen=True)
class Work:
    """Operations on texts of given lengths, padding not counted; a logarithm counts as one.

    E inputs, H units a direction: a token costs 2 E 8H for its gates, 2 * 2 H 4H for the recurrence and
    2 * 2H H for additive attention.
    """

    embedding: int
    hidden: int

    def __call__(self, name: str, lengths: np.ndarray) -> float:
        """Of one routine over all texts."""
        e, h, n = self.embedding, self.hidden, lengths
        gates, recurrence, attention = 16 * e * h, 16 * h * h, 4 * h * h
        token = gates + recurrence + attention
        pairs, restarts = 10, 5
        work = {
            "train": 3 * token * n,
            "evaluate": token * n,
            "gradient": (2 * (gates + recurrence) + attention) * n,
            "permutation_100": token * n + 200 * n,
            # Half of the steps of either direction are read anew.
            "leave_one_out": gates * n + (recurrence / 2 + attention) * n * n,
            "adversarial_500": token * n + 500 * (3 * (pairs + 2 * restarts) + 12 * restarts) * n,
            "exact_max_jsd": 20 * n * n,
            "kendall": 6 * n * n,
        }
        return float(work[name].sum())
