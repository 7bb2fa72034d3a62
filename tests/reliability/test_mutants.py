"""Faults that are put in are noticed, and only what computes is altered."""

import json
import subprocess
import sys

import pytest

from reliability import mutants, mutation, section

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


def test_every_module_of_the_core_has_tests_that_exist():
    core = {path.stem for path in (section.ROOT / "attn_jax" / "certify").glob("*.py")} - {"__init__"}
    assert core == {module.split("/")[1] for module in mutants.TESTS if module.startswith("certify/")}
    assert all((section.ROOT / path).exists() for tests in mutants.TESTS.values() for path in tests)


@pytest.mark.parametrize(
    ("killed", "tried", "low", "high"), [(9, 10, 0.596, 0.982), (0, 5, 0.0, 0.434), (100, 100, 0.963, 1.0)]
)
def test_the_interval_is_wilsons(killed, tried, low, high):
    assert mutants.interval(killed, tried) == pytest.approx((low, high), abs=1e-3)


def test_a_fault_in_the_divergences_is_noticed(tmp_path):
    line = ["-m", "reliability.mutants", "--only", "divergences", "--limit", "1", "--out", str(tmp_path)]
    subprocess.run([sys.executable, *line], check=True, cwd=section.ROOT, timeout=500, capture_output=True)
    assert json.loads((tmp_path / "mutants.json").read_text())["summary"].startswith("1 of 1 mutants killed")
