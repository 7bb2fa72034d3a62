"""What a fault led to is told as it was."""

import subprocess
import sys

import pytest

from reliability import faults


def outcome(code=2, err="experiments.x: the disk is full; make room.\n", differing=()):
    done = subprocess.CompletedProcess([], code, "", err)
    return faults.Outcome("full disk", 2, done, list(differing))


def test_a_sentence_and_the_right_code_are_sound():
    assert outcome().sound
    assert outcome().row() == {
        "fault": "full disk",
        "exit code": 2,
        "what it says": "the disk is full; make room.",
        "goes on to the same results": "yes",
    }
    assert faults.summarised([outcome()], "full_disk").summary == "1 of 1 faults end as they should."


@pytest.mark.parametrize(
    "changed", [{"code": 1}, {"err": "Traceback (most recent call last):\n"}, {"differing": ["records.csv"]}]
)
def test_anything_else_is_not(changed):
    assert not outcome(**changed).sound
    assert faults.summarised([outcome(**changed)], "").summary == "0 of 1 faults end as they should."


def test_the_clock_runs_backwards():
    code = faults.BACKWARDS + "\nbefore = time.time(); time.sleep(0.01); print(time.time() < before)"
    line = [sys.executable, "-c", code]
    done = subprocess.run(line, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "True\n"
