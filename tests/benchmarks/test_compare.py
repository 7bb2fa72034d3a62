"""The table of ratios, from rounds that are made up."""

from benchmarks.compare import table

NAMES = (
    "train",
    "gradient",
    "permutation_100",
    "leave_one_out",
    "adversarial_500",
    "exact_max_jsd",
    "kendall",
)


def side(rate, evaluate):
    rates = dict.fromkeys(NAMES, rate) | {"evaluate": evaluate}
    sizes = {"train": 10, "test": 5, "mean_length": 8.0, "vocab": 20, "peak_gflops": 100.0}
    return sizes | {"instances_per_second": rates, "cold_battery_seconds": 1 / rate, "share_of_peak": {}}


def cells(text, name):
    (line,) = [line for line in text.splitlines() if line.startswith(f"| {name} |")]
    return [cell.strip() for cell in line.split("|")[2:-1]]


def test_a_ratio_is_the_median_of_the_rounds_beside_its_target():
    ours = [side(rate, 1e6) for rate in (300.0, 100.0, 200.0)]
    text = table("sst", ours, [side(100.0, 1e6)] * 3)
    assert cells(text, "train")[:6] == ["200", "100", "2", "1 to 3", "2", "yes"]
    assert cells(text, "gradient")[5] == "yes"
    assert cells(text, "leave_one_out")[5] == "no"


def test_a_difference_below_the_noise_is_no_rate():
    name = "permutation_100, states given"
    slow, noisy = side(100.0, 200.0), side(200.0, 150.0)
    text = table("sst", [slow, noisy], [slow, slow])
    assert cells(text, name)[:4] == ["200", "200", "1", "1 to 1 (1 more below the noise)"]
    assert cells(table("sst", [noisy], [slow]), name)[0] == "below the noise"
