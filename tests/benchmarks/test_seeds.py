"""What the comparison of seeds says of the times that it took."""

from benchmarks.seeds import report

ROUNDS = [
    {"together": [60.0], "apart": [30.0, 15.0, 15.0, 15.0, 15.0]},
    {"together": [80.0], "apart": [40.0, 10.0, 10.0, 10.0, 10.0]},
]


def test_ratios_are_of_all_seeds_and_an_accelerator_is_not_made_up():
    told = report("sst, five seeds", ROUNDS, accelerator=False)
    assert "| 1 | 60.0 | 90.0 | 30.0 | 0.67 | 2.00 |" in told
    assert "Median ratio 0.83 (target: at most 1)." in told
    assert "not run (no accelerator here)" in told
    assert "on an accelerator: 2.00 (target: under 3)" in report("sst", ROUNDS, accelerator=True)
