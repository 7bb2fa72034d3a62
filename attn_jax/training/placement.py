"""Which devices a model is trained on when the user named none."""

from collections.abc import Sequence

import jax
import numpy as np

from attn_jax.data.batching import Bucket
from attn_jax.devices import Devices

# Tokens a text: with fewer, what devices tell each other of the words' table takes longer than they save.
LONG = 64


def divided(devices: Devices, train: Sequence[Bucket], batch_size: int, seeds: int) -> Devices:
    """The user's mesh, or all cores of a CPU where texts are long: a recurrence keeps one core busy.

    Several seeds have a core each instead (`lanes`), which need tell each other nothing.
    """
    cores = devices.local()
    sizes = [bucket.rows.ids[0].size for bucket in train]
    length = np.average(sizes, weights=[len(bucket) for bucket in train])
    fits = length >= LONG and batch_size % cores.count == 0
    worth_it = jax.default_backend() == "cpu" and seeds == 1 and fits
    return cores if devices.mesh is None and worth_it else devices
