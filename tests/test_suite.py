"""The suite itself ends: every process that a test starts has a time limit, and none is left behind."""

import ast
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parent.parent
WAITING = {"run", "check_output", "check_call", "call", "communicate", "wait"}
LEAVES_A_CHILD = """
import subprocess, sys

def test_that_leaves_a_process():
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], stdout=subprocess.DEVNULL)
"""


def waits(path):
    """(line, whether it has a time limit) of each call that waits for another process."""
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        owner = node.func.value.id if isinstance(node.func.value, ast.Name) else ""
        process = owner == "subprocess" or node.func.attr in ("communicate", "wait")
        if process and node.func.attr in WAITING:
            named = any(keyword.arg == "timeout" for keyword in node.keywords)
            yield node.lineno, named or (node.func.attr == "wait" and bool(node.args))


def test_every_wait_for_a_process_has_a_limit():
    found = [(path, *wait) for path in (ROOT / "tests").rglob("*.py") for wait in waits(path)]
    assert len(found) > 5
    assert [f"{path.relative_to(ROOT)}:{line}" for path, line, limited in found if not limited] == []


@pytest.mark.parametrize("workers", ["0", "1"])
def test_a_process_left_behind_is_killed_and_fails_the_session(tmp_path, workers):
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_it.py").write_text(LEAVES_A_CHILD)
    for name in ("__init__.py", "conftest.py", "leftovers.py"):
        (tmp_path / "tests" / name).write_bytes((ROOT / "tests" / name).read_bytes())
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-n", workers, "-p", "no:cacheprovider", "tests"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "1 passed" in done.stdout, done.stdout + done.stderr
    assert "A test left a process running, now killed" in done.stdout
    assert "time.sleep(600)" in done.stdout
    assert done.returncode == 1
