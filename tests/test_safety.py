"""Nothing from a stranger is executed: no unpickling, no eval, no shell, no foreign script on a page."""

import ast
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parent.parent
SOURCES = [
    path
    for room in ("attn_jax", "experiments", "reliability", "benchmarks")
    for path in (ROOT / room).rglob("*.py")
]
UNPICKLE = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}
PAGES = sorted((ROOT / "attn_jax" / "report" / "templates").rglob("*.html"))


def faults(tree: ast.AST):
    """What executes foreign input."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
            yield from (f"line {node.lineno}: import {n}" for n in names if n.split(".")[0] in UNPICKLE)
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            named = {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords}
            if called in ("eval", "exec", "os.system", "os.popen", "yaml.load", "pd.read_pickle"):
                yield f"line {node.lineno}: {called}"
            if named.get("shell") == "True" or named.get("allow_pickle") == "True":
                yield f"line {node.lineno}: {called} with shell or pickle"
            if called == "torch.load" and named.get("weights_only") != "True":
                yield f"line {node.lineno}: torch.load without weights_only=True"


@pytest.mark.parametrize(
    "line",
    [
        "import pickle",
        "from joblib import load",
        "eval(x)",
        "np.load(f, allow_pickle=True)",
        "run(x, shell=True)",
    ],
)
def test_what_executes_foreign_input_is_recognised(line):
    assert list(faults(ast.parse(line)))


def test_nothing_executes_foreign_input():
    assert len(SOURCES) > 100
    found = {path: list(faults(ast.parse(path.read_text(encoding="utf-8")))) for path in SOURCES}
    assert {str(path.relative_to(ROOT)): what for path, what in found.items() if what} == {}


def policy_of(path: pathlib.Path) -> str:
    """Where a page's Content-Security-Policy is written: in it, in the head it includes, or in its server."""
    text = path.read_text(encoding="utf-8")
    if re.search(r"include\s+.head\.html.", text):
        return (path.parent / "head.html").read_text(encoding="utf-8")
    if path.name == "annotate.html":
        return (ROOT / "experiments" / "annotation_server.py").read_text(encoding="utf-8")
    return text


def test_every_page_forbids_what_it_does_not_need():
    whole = [path for path in PAGES if "<html" in path.read_text(encoding="utf-8")]
    assert whole
    for path in whole:
        policy = policy_of(path)
        assert "Content-Security-Policy" in policy, path
        assert "default-src 'none'" in policy, path
        assert "unsafe-eval" not in policy, path
