"""Which devices a model is trained on when the user named none."""

from collections.abc import Sequence

import jax
import numpy as np

from attn_jax.data.batching import Bucket
from attn_jax.devices import Devices

# Tokens a text: with fewer, what devices tell each other of the words' table takes longer than they save.
LONG = 64


def divided(devices: Devices, train: Sequence[Bucket], batch_size: int) -> Devices:
    """The user's mesh, or all cores of a CPU where texts are long: a recurrence keeps one core busy."""
    cores = devices.local()
    sizes = [bucket.rows.ids[0].size for bucket in train]
    length = np.average(sizes, weights=[len(bucket) for bucket in train])
    worth_it = jax.default_backend() == "cpu" and length >= LONG and batch_size % cores.count == 0
    return cores if devices.mesh is None and worth_it else devices
