"""Models in turn and over devices: each once, in order, and with the numbers that it has alone."""

import dataclasses

import jax
import numpy as np
import pytest

from attn_jax.devices import ALONE, Devices
from attn_jax.training import lanes
from tests import several_devices

OVER_TWO = """
import jax, numpy as np
from unittest import mock
from attn_jax.training import lanes
from attn_jax.training.imitation import imitate
from tests.training.test_fit import CONFIG, buckets, trained
from tests.training.test_imitation import MODEL

assert jax.device_count() == 2
turns = lanes.of(4, 3)
stack = jax.numpy.arange(16.0).reshape(4, 4)
parts = turns.apart(stack)
assert [part.tolist() for part in parts] == [stack[:2].tolist(), stack[2:].tolist()]
assert all(len(part.sharding.device_set) == 2 for part in parts)
np.testing.assert_array_equal(turns.together(parts), stack)
assert len(turns.together(parts).sharding.device_set) == 1

def found():
    fitted = trained([0, 1, 2, 3])
    others = imitate(MODEL, fitted.params, buckets(37), CONFIG, [0, 1, 2, 3], (0.0, 3.0), progress=False)
    return fitted.params, others, [list(row.values()) for row in fitted.history]

divided = found()
with mock.patch.object(jax, "local_devices", lambda: jax.devices()[:1]):
    alone = found()
# Two programs round differently; another order of the batches or another key would be seen at once.
jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, atol=1e-5), divided, alone)
"""


@dataclasses.dataclass(frozen=True)
class Used(Devices):
    """So many devices, which need not be here."""

    number: int = 0


def test_seeds_and_strengths_over_two_devices_have_the_numbers_of_one():
    several_devices.run(OVER_TWO, 2)


@pytest.mark.parametrize(
    ("backend", "count", "over", "turns", "used"),
    [
        ("cpu", 5, 1, 5, 1),
        ("cpu", 5, 2, 5, 1),
        ("cpu", 5, 8, 1, 5),
        ("cpu", 6, 4, 2, 3),
        ("gpu", 5, 1, 1, 1),
        ("gpu", 6, 4, 1, 3),
    ],
)
def test_turns_are_of_one_size_and_no_device_waits(monkeypatch, backend, count, over, turns, used):
    monkeypatch.setattr(jax, "default_backend", lambda: backend)
    monkeypatch.setattr(jax, "local_devices", lambda: list(range(over)))
    monkeypatch.setattr(lanes.devices, "over", lambda some: Used(number=len(some)))
    assert lanes.of(count, over) == lanes.Lanes(turns, ALONE if used == 1 else Used(number=used))


def test_what_is_taken_apart_is_put_together_along_any_axis():
    turns = lanes.of(3, 1)
    stack = {"w": jax.numpy.arange(24.0).reshape(2, 3, 4)}
    parts = turns.apart(stack, axis=1)
    assert [part["w"].shape for part in parts] == [(2, 1, 4)] * 3
    np.testing.assert_array_equal(turns.together(parts, axis=1)["w"], stack["w"])
    rows = np.arange(6).reshape(3, 2)
    np.testing.assert_array_equal(np.concatenate(turns.split(rows)), rows)
