"""Records of small fixed runs, end to end: what a published figure's path gave when last looked at.

    python -m tests.golden NAME FOLDER

takes the records of a run folder as the goldens of that name.
"""

import csv
import pathlib
import sys

import pytest

from attn_jax.results import records

FOLDER = pathlib.Path(__file__).parent / "goldens"
# Processors round differently, and training carries that on; a wrong formula moves far more.
TOLERANCE = 0.01


def _values(folder: pathlib.Path) -> dict[tuple[str, ...], float]:
    found = records.read(folder / "records.csv")
    return {(*record.key(), record.run): record.value for record in found}


def assert_golden(name: str, folder: pathlib.Path, noise: tuple[str, ...] = ()) -> None:
    """The run in `folder` has the golden records, all of them and no others.

    `noise` names statistics that rounding alone decides in this run: they must be there, whatever they are.
    """
    with (FOLDER / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        golden = {tuple(row[:-1]): float(row[-1]) for row in csv.reader(file)}
    found = _values(folder)
    assert found.keys() == golden.keys()
    wrong = {
        key: (found[key], value)
        for key, value in golden.items()
        if key[-2] not in noise and found[key] != pytest.approx(value, rel=TOLERANCE, abs=TOLERANCE)
    }
    assert wrong == {}


def take(name: str, folder: pathlib.Path) -> None:
    """Makes the records of `folder` the goldens of that name."""
    with (FOLDER / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(
            (*key, f"{value:.6g}") for key, value in sorted(_values(folder).items())
        )


if __name__ == "__main__":
    take(sys.argv[1], pathlib.Path(sys.argv[2]))
