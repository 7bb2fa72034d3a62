"""What the comparison of seeds says of the times that it took."""

import pytest

from attn_jax.errors import UserError
from benchmarks.seeds import main, report

ROUNDS = [
    {"together": [60.0], "apart": [30.0, 15.0, 15.0, 15.0, 15.0], "anew": [30.0] * 5},
    {"together": [80.0], "apart": [40.0, 10.0, 10.0, 10.0, 10.0], "anew": [20.0] * 5},
]


def test_ratios_are_of_all_seeds_and_an_accelerator_is_not_made_up():
    told = report("sst, five seeds", ROUNDS, accelerator=False)
    assert "| 1 | 60.0 | 90.0 | 150.0 | 30.0 | 0.67 | 0.40 | 2.00 |" in told
    assert "compile once 0.83, to runs that each compile 0.60 (target: at most 1)." in told
    assert "not run (no accelerator here)" in told
    assert "on an accelerator: 2.00 (target: under 3)" in report("sst", ROUNDS, accelerator=True)


def test_no_rounds_are_one_sentence():
    with pytest.raises(UserError, match="--rounds 0"):
        main(rounds=0)
