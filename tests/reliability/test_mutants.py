"""Faults that are put in are noticed, and only what computes is altered."""

import csv
import json
import subprocess
import sys

import pytest

from reliability import equivalents, mutants, mutation, section, verdicts

SOURCE = """
def share(a: int | None, n: int = 2) -> float | None:
    'a - b'
    return jnp.where(a > 0, a / n, -a) if not n else (a and True)
"""


def test_each_mutant_has_one_fault_and_annotations_and_text_have_none():
    found = [mutant.what for mutant in mutation.mutants(SOURCE)]
    assert found == [
        "2 -> 3",
        "jnp.where(a > 0, a / n, -a) if not n else a and True"
        " -> a and True if not n else jnp.where(a > 0, a / n, -a)",
        "not n -> n",
        "jnp.where(a > 0, a / n, -a) -> jnp.where(a > 0, -a, a / n)",
        "a > 0 -> a >= 0",
        "a > 0 -> a <= 0",
        "0 -> 1",
        "a / n -> a * n",
        "-a -> a",
        "a and True -> a or True",
        "True -> False",
    ]
    texts = {mutant.source for mutant in mutation.mutants(SOURCE)}
    assert len(texts) == len(found)
    assert all("float | None" in text and "a - b" in text for text in texts)


def test_mutants_that_read_alike_are_told_apart_by_their_line_and_number():
    found = mutation.mutants("a = x + 1\nb = 1 * (y + 1)\na = x + 1\n")
    names = [(one.text, one.nth) for one in found if one.what == "1 -> 2"]
    assert names == [("a = x + 1", 1), ("b = 1 * (y + 1)", 1), ("b = 1 * (y + 1)", 2), ("a = x + 1", 2)]


def test_every_mutant_listed_as_equivalent_exists_and_has_its_reason():
    """A row that nothing answers to any more was about code that has changed since."""
    listed = equivalents.read()
    with equivalents.PATH.open(newline="", encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == len(listed)  # none twice
    existing = [equivalents.named(*one) for one in mutants.drawn("", 0)]
    assert len(set(existing)) == len(existing)
    assert set(listed) <= set(existing)
    assert all(len(reason.split()) > 5 for reason in listed.values())


def test_every_module_of_the_core_has_tests_that_exist():
    core = {path.stem for path in (section.ROOT / "attn_jax" / "certify").glob("*.py")} - {"__init__"}
    assert core == {module.split("/")[1] for module in mutants.TESTS if module.startswith("certify/")}
    assert all((section.ROOT / path).exists() for tests in mutants.TESTS.values() for path in tests)


@pytest.mark.parametrize(
    ("killed", "tried", "low", "high"), [(9, 10, 0.596, 0.982), (0, 5, 0.0, 0.434), (100, 100, 0.963, 1.0)]
)
def test_the_interval_is_wilsons(killed, tried, low, high):
    assert mutants.interval(killed, tried) == pytest.approx((low, high), abs=1e-3)


@pytest.fixture
def court(tmp_path, monkeypatch):
    """Tests of a copy that fail where the module says `fault`; the calls are counted."""
    for path in ("attn_jax/ranking.py", "tests/test_ranking.py"):
        (tmp_path / path).parent.mkdir()
        (tmp_path / path).write_text("good")
    calls = []

    def passes(copy, tests, seconds):
        calls.append(tests)
        return "fault" not in (copy / "attn_jax/ranking.py").read_text()

    monkeypatch.setattr(verdicts, "passes", passes)
    return lambda: verdicts.Court(tmp_path, tmp_path / "verdicts.jsonl"), calls


def test_a_verdict_is_kept_until_the_package_or_its_tests_change(tmp_path, court):
    enter, calls = court
    tests, path = ("tests/test_ranking.py",), tmp_path / "tests/test_ranking.py"
    faulty, harmless = (mutation.Mutant(1, "", "", 1, source) for source in ("fault", "alike"))
    for _ in range(2):
        one = enter()
        assert one.judge("ranking", faulty, tests).killed
        assert not one.judge("ranking", harmless, tests).killed
    assert len(calls) == 3  # without a fault, and each fault once
    path.write_text("another test")
    assert enter().judge("ranking", faulty, tests).killed
    assert len(calls) == 5
    assert (tmp_path / "attn_jax/ranking.py").read_text() == "good"


def test_the_summary_counts_equivalent_mutants_apart():
    one = mutation.Mutant(3, "", "a + b -> a - b", 1, "")
    judged = [verdicts.Verdict("ranking", one, killed) for killed in (True, True, True, False)]
    found = mutants.summarised(judged, 2, 50, "", 0)
    assert found.summary.startswith("3 of 4 mutants killed: 75% [")
    assert "; 2 more of the sample compute the same as the original" in found.summary
    assert found.summary.endswith("Survivors: ranking.py:3 `a + b -> a - b`.")
    assert found.rows == [{"module": "ranking.py", "tried": 4, "killed": 3}]


def test_a_fault_in_the_divergences_is_noticed(tmp_path):
    line = ["-m", "reliability.mutants", "--only", "divergences", "--limit", "1", "--out", str(tmp_path)]
    subprocess.run([sys.executable, *line], check=True, cwd=section.ROOT, timeout=500, capture_output=True)
    assert json.loads((tmp_path / "mutants.json").read_text())["summary"].startswith("1 of 1 mutants killed")
