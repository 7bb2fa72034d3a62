"""Models in turn and over devices: each once, in order, and with the numbers that it has alone."""

import dataclasses
import os
import pathlib
import subprocess
import sys

import jax
import numpy as np
import pytest

from attn_jax.devices import ALONE, Devices
from attn_jax.training import lanes

ROOT = pathlib.Path(__file__).parent.parent.parent
OVER_TWO = """
import jax, numpy as np
from unittest import mock
from attn_jax.training import lanes
from attn_jax.training.imitation import imitate
from tests.training.test_fit import CONFIG, buckets, trained
from tests.training.test_imitation import MODEL, STRENGTHS

assert jax.device_count() == 2
turns = lanes.of(3, 2)
stack = jax.numpy.arange(12.0).reshape(3, 4)
parts = turns.apart(stack)
assert [part.tolist() for part in parts] == [stack[:2].tolist(), stack[np.array([2, 2])].tolist()]
assert all(len(part.sharding.device_set) == 2 for part in parts)
np.testing.assert_array_equal(turns.together(parts), stack)
assert len(turns.together(parts).sharding.device_set) == 1

def found():
    fitted = trained([0, 1, 2])
    others = imitate(MODEL, fitted.params, buckets(37), CONFIG, [0, 1, 2], STRENGTHS, progress=False)
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
    done = subprocess.run(
        [sys.executable, "-c", OVER_TWO],
        cwd=ROOT,
        env=os.environ | {"JAX_NUM_CPU_DEVICES": "2", "JAX_PLATFORMS": "cpu"},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("backend", "over", "turns", "used"),
    [
        ("cpu", 1, ((0,), (1,), (2,), (3,), (4,)), 1),
        ("cpu", 2, ((0, 1), (2, 3), (4, 4)), 2),
        ("cpu", 4, ((0, 1, 2), (3, 4, 4)), 3),
        ("cpu", 8, ((0, 1, 2, 3, 4),), 5),
        ("gpu", 1, ((0, 1, 2, 3, 4),), 1),
        ("gpu", 2, ((0, 1, 2, 3, 4, 4),), 2),
        ("gpu", 8, ((0, 1, 2, 3, 4),), 5),
    ],
)
def test_turns_are_of_one_size_and_leave_no_device_without_work(monkeypatch, backend, over, turns, used):
    monkeypatch.setattr(jax, "default_backend", lambda: backend)
    monkeypatch.setattr(jax, "local_devices", lambda: list(range(8)))
    monkeypatch.setattr(lanes.devices, "over", lambda some: Used(number=len(some)))
    found = lanes.of(5, over)
    assert found.turns == turns
    assert found.place == (ALONE if used == 1 else Used(number=used))


def test_what_is_taken_apart_is_put_together_along_any_axis():
    turns = lanes.of(3, 1)
    stack = {"w": jax.numpy.arange(24.0).reshape(2, 3, 4)}
    parts = turns.apart(stack, axis=1)
    assert [part["w"].shape for part in parts] == [(2, 1, 4)] * 3
    np.testing.assert_array_equal(turns.together(parts, axis=1)["w"], stack["w"])
    rows = np.arange(6).reshape(3, 2)
    np.testing.assert_array_equal(np.concatenate(turns.split(rows)), rows)
