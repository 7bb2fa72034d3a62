"""What the comparison of seeds says of the times that it took."""

from benchmarks.seeds import report


def test_the_ratio_is_of_all_seeds_and_an_accelerator_is_not_made_up():
    told = report("sst, five seeds", 60.0, [30.0, 15.0, 15.0, 15.0, 15.0], accelerator=False)
    assert "| ratio | 0.67 | at most 1 |" in told
    assert "| times one seed, on an accelerator | not run (no accelerator here) | under 3 |" in told
    assert "| 2.00 | under 3 |" in report("sst", 60.0, [30.0, 15.0], accelerator=True)
