"""The branch coverage of attn_jax by its tests.

    python -m reliability.coverage

One folder of tests after the other; the figures stand after each, so a run that is stopped has counted what
it says. Two cores: about twenty minutes.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

from experiments import command
from reliability import section

GOAL = 95.0
LIMIT = 3600  # seconds a folder of tests


def groups() -> list[str]:
    """The folders of tests, and the tests beside them."""
    tests = section.ROOT / "tests"
    folders = [path for path in sorted(tests.iterdir()) if any(path.glob("**/test_*.py"))]
    loose = [*sorted(tests.glob("test_*.py"))]
    return [str(path.relative_to(section.ROOT)) for path in [*folders, *loose] if path.name != "reliability"]


def _coverage(*arguments: str, folder: pathlib.Path) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "coverage", *arguments],
        cwd=section.ROOT,
        env=os.environ | {"COVERAGE_FILE": str(folder / "data")},
        timeout=LIMIT,
        check=False,
    )


def covered(folder: pathlib.Path) -> dict:
    """The report on what has been counted so far, as coverage.py's JSON."""
    _coverage("combine", "--append", "--quiet", folder=folder)
    _coverage("json", "--quiet", "-o", str(folder / "report.json"), folder=folder)
    return json.loads((folder / "report.json").read_text())


def summarised(report: dict, counted: list[str]) -> section.Section:
    """The total, and every file below the goal."""
    totals = report["totals"]
    rows = [
        {
            "file": name,
            "covered": f"{file['summary']['percent_covered']:.0f} %",
            "missing lines": ", ".join(map(str, file["missing_lines"])) or "none, only branches",
        }
        for name, file in sorted(report["files"].items())
        if file["summary"]["percent_covered"] < GOAL
    ]
    summary = (
        f"{totals['percent_covered']:.1f} % of the lines and branches of attn_jax "
        f"({totals['covered_branches']} of {totals['num_branches']} branches), "
        f"by {', '.join(counted)}. Files below {GOAL:.0f} %:"
    )
    return section.Section("coverage", "python -m reliability.coverage", summary, rows)


def main(only: str = "", out: pathlib.Path = section.FOLDER) -> None:
    """Count.

    Args:
        only: groups of tests whose path begins with one of these, separated by commas.
        out: folder for coverage.json.
    """
    counted = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for tests in (group for group in groups() if group.startswith(tuple(only.split(",")))):
            done = _coverage("run", "-m", "pytest", "-q", "-n", "0", tests, folder=folder)
            counted.append(tests if done.returncode == 0 else f"{tests} (some of which fail)")
            section.write(summarised(covered(folder), counted), out)


if __name__ == "__main__":
    command.run(main, prog="reliability.coverage")
