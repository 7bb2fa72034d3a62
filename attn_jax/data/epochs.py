"""The order in which training sees a corpus: chunks of stacked batches of one bucket.

The order of chunks comes from the stream (data seed, epoch) and is shared, so that several seeds
train in one program of one shape; which instances fill a batch comes from (seed, epoch).
"""

import dataclasses
from collections.abc import Iterator, Sequence

import jax
import numpy as np

from attn_jax.data.batching import Bucket, fill
from attn_jax.types import Example


@dataclasses.dataclass(frozen=True)
class Chunk:
    """Up to K batches for each of S seeds; only the first `count` are to be trained on."""

    batches: Example  # leaves [S, K, B, ...]
    count: int


def chunks_per_epoch(buckets: Sequence[Bucket], batch_size: int, chunk_size: int) -> int:
    """How many chunks `epoch` will yield."""
    return sum(-(-_batch_count(bucket, batch_size) // chunk_size) for bucket in buckets)


def epoch(
    buckets: Sequence[Bucket],
    batch_size: int,
    chunk_size: int,
    *,
    seeds: Sequence[int],
    number: int,
    data_seed: int = 0,
    parts: int = 1,
) -> Iterator[Chunk]:
    """One pass over every bucket in a shuffled order; short batches and chunks are filled with padding.

    A batch can be divided into `parts`. Rows are gathered on the host: a chunk is a few hundred kilobytes
    of ids, and an array of all instances on the device would recompile whenever their number changes.
    """
    sizes = [rows_at_once(len(bucket), batch_size, parts) for bucket in buckets]
    orders = [_orders(len(bucket), sizes[b], seeds, number, b) for b, bucket in enumerate(buckets)]
    starts = [(b, k) for b, order in enumerate(orders) for k in range(0, order.shape[1], chunk_size)]
    for i in np.random.default_rng([data_seed, number]).permutation(len(starts)):
        b, k = starts[i]
        rows = orders[b][:, k : k + chunk_size]
        count = rows.shape[1]
        padded = np.pad(rows, ((0, 0), (0, chunk_size - count), (0, 0)), constant_values=-1)
        yield Chunk(jax.tree.map(np.ascontiguousarray, buckets[b].take(padded)), count)


def rows_at_once(n: int, batch_size: int, parts: int = 1) -> int:
    """Rows of the batches of a bucket of `n`: the batch size, halved while one batch still holds them all.

    The longest texts are few, and a row that only fills up a batch costs as much as one of them. Halving
    keeps the shapes few, whatever the number of instances.
    """
    size = batch_size
    while size % (2 * parts) == 0 and size // 2 >= n:
        size //= 2
    return size


def _batch_count(bucket: Bucket, batch_size: int) -> int:
    return -(-len(bucket) // batch_size)


def _orders(n: int, batch_size: int, seeds: Sequence[int], number: int, bucket: int) -> np.ndarray:
    """Positions [S, batches, B] of one bucket, shuffled for each seed on its own."""
    size = -(-n // batch_size) * batch_size
    shuffled = [fill(np.random.default_rng([seed, number, bucket]).permutation(n), size) for seed in seeds]
    return np.stack(shuffled).reshape(len(seeds), -1, batch_size)
