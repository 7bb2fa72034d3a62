"""Imports point one way, and the reading rooms never load jax."""

import ast
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parent.parent
LEAVES = (
    "types",
    "rng",
    "masking",
    "shuffling",
    "divergences",
    "ranking",
    "outputs",
    "errors",
    "devices",
    "programs",
    "progress",
)
RANK = dict.fromkeys(LEAVES, 0) | {
    "data": 1,
    "models": 1,
    "training": 2,
    "analyses": 3,
    "certify": 3,
    "results": 4,
    "report": 5,
}


def imports(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def rooms_imported(path):
    for name in imports(path):
        parts = name.split(".")
        if parts[0] == "attn_jax" and len(parts) > 1 and parts[1] in RANK:
            yield parts[1]
        assert parts[0] not in ("experiments", "tests", "benchmarks"), f"{path} imports {name}"


@pytest.mark.parametrize("room", RANK)
def test_imports_point_one_way(room):
    base = ROOT / "attn_jax" / room
    files = list(base.rglob("*.py")) if base.is_dir() else [base.with_suffix(".py")]
    assert files
    for path in files:
        for other in rooms_imported(path):
            assert RANK[other] <= RANK[room], f"{path.relative_to(ROOT)} imports {other}"


def test_analyses_and_certificates_never_import_data():
    for room in ("analyses", "certify"):
        for path in (ROOT / "attn_jax" / room).rglob("*.py"):
            assert "data" not in set(rooms_imported(path)), path


@pytest.mark.parametrize("module", ["attn_jax", "attn_jax.results.records", "attn_jax.report.page"])
def test_reading_results_leaves_jax_unloaded(module):
    code = f"import sys, {module}; sys.exit('jax' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False, timeout=120).returncode == 0
