"""The table of overheads, from rounds that are made up."""

from benchmarks.mesh import table


def test_overhead_is_the_median_of_the_rounds_beside_the_most_it_may_be():
    pairs = [({"gradient": 1.0, "train": 1.0}, {"gradient": two, "train": two}) for two in (1.1, 1.3, 1.2)]
    gradient, train = table(pairs).splitlines()[2:]
    assert gradient == "| gradient | 1000.0 | 1200.0 | +20% | +10% to +30% | no |"
    assert train.endswith("|  |")
    assert table(pairs[:1]).splitlines()[2].endswith("| yes |")
