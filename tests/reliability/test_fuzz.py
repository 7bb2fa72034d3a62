"""Some hundred wrong inputs, and a harness that notices a traceback."""

import random
import types

import pytest

from reliability import fuzz, section


def test_wrong_input_is_refused_in_a_sentence_and_leaves_nothing():
    before = sorted(section.ROOT.iterdir())
    found, wrong = fuzz.harness(inputs=8, seed=1)
    assert wrong == []
    assert sorted(section.ROOT.iterdir()) == before
    names = [row["target"] for row in found.rows]
    assert {"experiments.jain_wallace", "experiments.claims", "own .csv file"} <= set(names)


@pytest.mark.parametrize(
    ("fault", "how"),
    [
        (ZeroDivisionError("division by zero"), "ZeroDivisionError: division by zero"),
        (SystemExit(1), "exit code 1"),
        (SystemExit(2), "refused without a word"),
        (fuzz.ReachedError(), "accepted"),
    ],
)
def test_every_ending_is_told_apart(fault, how):
    module = types.ModuleType("a_command")

    def main() -> None:
        raise fault

    module.main = main
    assert fuzz.ending(module, []) == how


def test_files_are_mangled_in_some_way():
    dice = random.Random(0)
    good = fuzz.FILES[".csv"]
    assert len({fuzz.mangled(good, dice) for _ in range(50)} - {good}) > 40
