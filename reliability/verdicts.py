"""Whether tests notice a fault: in a process forked from one that has imported jax, so without a start."""

import contextlib
import dataclasses
import hashlib
import json
import os
import pathlib
import resource
import sys
import warnings
from collections.abc import Iterator

from reliability import section
from reliability.mutation import Mutant

CACHE = pathlib.Path.home() / ".cache/attn_jax/mutants"  # what the tests compile, and the verdicts so far
SPARE = 60  # CPU seconds beyond what the tests need unmutated; a fault that loops is noticed by this


@dataclasses.dataclass(frozen=True)
class Verdict:
    """Whether a mutant was noticed."""

    module: str
    mutant: Mutant
    killed: bool


def prepare() -> None:
    """Imports what the tests need, but for the code under test; jax must not compute here."""
    os.environ["JAX_COMPILATION_CACHE_DIR"] = str(CACHE)
    os.environ["JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"] = "0"
    os.environ["JAX_PLATFORMS"] = "cpu"
    import beartype  # noqa: F401
    import chex  # noqa: F401
    import flax.linen  # noqa: F401
    import hypothesis  # noqa: F401
    import jax  # noqa: F401
    import jaxtyping  # noqa: F401
    import optax  # noqa: F401
    import pytest  # noqa: F401
    import scipy.stats  # noqa: F401
    import sklearn.metrics  # noqa: F401

    # No thread of jax runs yet, so its warning against forking does not concern us.
    warnings.filterwarnings("ignore", message="os.fork", category=RuntimeWarning)


def passes(copy: pathlib.Path, tests: tuple[str, ...], seconds: int) -> bool:
    """Whether the tests of a copy of the project pass, in a process of their own."""
    child = os.fork()
    if child == 0:
        _become(copy, tests, seconds)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) == 0


def _become(copy: pathlib.Path, tests: tuple[str, ...], seconds: int) -> None:
    """In the child: runs pytest and ends, whatever happens."""
    code = 1
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        silent = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(silent, stream)
        os.chdir(copy)
        sys.path[:] = [str(copy), *(path for path in sys.path if path not in ("", str(section.ROOT)))]
        for name in [n for n in sys.modules if n.split(".")[0] in ("attn_jax", "experiments", "reliability")]:
            del sys.modules[name]
        import pytest

        early = "ignore::pytest.PytestAssertRewriteWarning"  # plugins were imported before the fork
        code = pytest.main(["-x", "-n", "0", "-W", early, "-p", "no:cacheprovider", *tests])
    finally:
        os._exit(int(code))


class Court:
    """Judges mutants in a copy of the project. What was judged before is remembered."""

    def __init__(self, copy: pathlib.Path, kept: pathlib.Path = CACHE / "verdicts.jsonl"):
        self._copy, self._kept = copy, kept
        lines = kept.read_text().splitlines() if kept.exists() else []
        self._known: dict[str, bool] = dict(json.loads(line) for line in lines)
        self._seconds: dict[tuple[str, ...], int] = {}

    def judge(self, module: str, mutant: Mutant, tests: tuple[str, ...]) -> Verdict:
        """Puts the fault in, runs the tests, takes it out."""
        with self._fault(module, mutant):
            digest = self._digest(tests)
        if digest not in self._known:
            seconds = self._unmutated(tests) + SPARE
            with self._fault(module, mutant):
                self._keep(digest, not passes(self._copy, tests, seconds))
        return Verdict(module, mutant, self._known[digest])

    @contextlib.contextmanager
    def _fault(self, module: str, mutant: Mutant) -> Iterator[None]:
        path = self._copy / "attn_jax" / f"{module}.py"
        good = path.read_text()
        try:
            path.write_text(mutant.source)
            yield
        finally:
            path.write_text(good)

    def _unmutated(self, tests: tuple[str, ...]) -> int:
        """The CPU seconds of the tests, which must pass; what they compile is kept for the mutants."""
        if tests not in self._seconds:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            if not passes(self._copy, tests, 3600):
                sys.exit(f"{' '.join(tests)} fails without any fault put in")
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            self._seconds[tests] = int(spent) + 1
            print(f"{' '.join(tests)}: {self._seconds[tests]} CPU seconds", flush=True)
        return self._seconds[tests]

    def _digest(self, tests: tuple[str, ...]) -> str:
        """Of all that decides the verdict: the package with the fault, the tests, and what tests share."""
        shared = [path for path in (self._copy / "tests").rglob("*.py") if not path.name.startswith("test_")]
        package = (self._copy / "attn_jax").rglob("*.py")
        paths = sorted([*package, *shared, *(self._copy / test for test in tests)])
        whole = "\0".join(f"{path.relative_to(self._copy)}\0{path.read_text()}" for path in paths)
        return hashlib.sha256(whole.encode()).hexdigest()

    def _keep(self, digest: str, killed: bool) -> None:
        self._known[digest] = killed
        self._kept.parent.mkdir(parents=True, exist_ok=True)
        with self._kept.open("a") as file:
            file.write(json.dumps([digest, killed]) + "\n")
