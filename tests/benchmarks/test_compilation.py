"""The table of two levels, from costs that are made up; a measurement that fails says why."""

import pytest

from attn_jax.errors import UserError
from benchmarks import process
from benchmarks.compilation import table


def test_compiling_is_the_first_call_less_the_second():
    low = {"train": {"first": 3.5, "again": 0.5}, "observe": {"first": 1.1, "again": 0.1}}
    high = {name: {"first": 2 * one["first"], "again": one["again"]} for name, one in low.items()}
    lines = table(low, high).splitlines()[2:]
    assert lines[0] == "| train | 3.0 | 6.5 | 500 | 500 |"
    assert lines[-1] == "| all | 4.0 | 8.6 | 600 | 600 |"


def test_a_measurement_that_fails_is_told_in_a_sentence():
    with pytest.raises(UserError, match=r"-m benchmarks.no_such failed: .*No module named"):
        process.told("benchmarks.no_such")
