"""Deviations are what they are called; a short soak; coverage is summarised."""

import numpy as np
import pytest

from reliability import coverage, precision, soak


def test_deviations_of_numbers_and_of_decisions():
    narrow, wide = np.array([1.0, 2.0, np.nan], np.float32), np.array([1.5, 2.0, 3.0])
    assert precision.deviation("tau", narrow, wide) == {
        "statistic": "tau",
        "entries": 3,
        "largest deviation": "5.0e-01",
        "deviation of the mean": "2.5e-01",
        "defined in one only": 1,
    }
    flips = precision.deviation("flips", np.array([True, False]), np.array([True, True]))
    assert flips["largest deviation"] == "1 differ"


def test_a_short_soak_sees_every_tenth():
    rows = soak.soaked(10 * soak.BATCH)
    assert [row["instances"] for row in rows] == [soak.BATCH * tenth for tenth in range(1, 11)]
    assert all(row["resident MiB"] > 0 for row in rows)


def test_growth_and_error_are_shares():
    rows = [
        {"resident MiB": 100, "seconds": 10.0, "seconds left, said": 99.0},
        {"resident MiB": 103, "seconds": 100.0, "seconds left, said": 0.0},
    ]
    assert soak.judged(rows) == pytest.approx((0.03, 0.1))


def test_files_below_the_goal_are_listed():
    report = {
        "totals": {"percent_covered": 96.25, "covered_branches": 9, "num_branches": 10},
        "files": {
            "attn_jax/good.py": {"summary": {"percent_covered": 100.0}, "missing_lines": []},
            "attn_jax/bad.py": {"summary": {"percent_covered": 50.0}, "missing_lines": [3, 4]},
        },
    }
    found = coverage.summarised(report, ["tests/a"])
    assert found.summary.startswith(
        "96.2 % of the lines and branches of attn_jax (9 of 10 branches), by tests/a."
    )
    assert found.rows == [{"file": "attn_jax/bad.py", "covered": "50 %", "missing lines": "3, 4"}]
    assert "tests/certify" in coverage.groups()


def test_a_later_group_of_tests_adds_to_what_earlier_ones_covered(tmp_path):
    for module in ("attn_jax.errors", "attn_jax.results.published"):
        coverage._coverage("run", "-m", module, folder=tmp_path)
        report = coverage.covered(tmp_path)
    covered = {name for name, file in report["files"].items() if file["summary"]["covered_lines"]}
    assert {"attn_jax/errors.py", "attn_jax/results/published.py"} <= covered
