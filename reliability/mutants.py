"""Puts faults into the core, one at a time, and counts those that its tests notice.

    python -m reliability.mutants --minutes 40

Processes are forked from one that has imported jax: a mutant costs its tests and no start. The order is
random, so whatever fits into the time is a fair sample of all mutants.
"""

import dataclasses
import os
import pathlib
import random
import resource
import shutil
import sys
import tempfile
import time
import warnings

from experiments import command
from reliability import section
from reliability.mutation import Mutant, mutants

_CERTIFY, _ANALYSES = "tests/certify/test_certify_{}.py", "tests/analyses/test_{}.py"


def _certified(*names: str) -> tuple[str, ...]:
    return tuple(_CERTIFY.format(name) for name in names)


# Which tests are to notice a fault in which module of attn_jax; the first that fails ends it, so the ones
# that take least come first.
TESTS = {
    "divergences": ("tests/test_leaves.py",),
    "masking": ("tests/test_leaves.py",),
    "ranking": ("tests/test_ranking.py",),
    "certify/slab": _certified("slab", "reach", "max_jsd"),
    **dict.fromkeys(
        [f"certify/{name}" for name in ("adversary", "farthest", "vertices", "door")], _certified("max_jsd")
    ),
    **dict.fromkeys([f"certify/{name}" for name in ("classes", "reach")], _certified("reach", "multiclass")),
    **dict.fromkeys(
        [f"certify/{name}" for name in ("edges", "exchange")], _certified("exchange", "multiclass")
    ),
    "certify/multiclass": _certified("multiclass"),
    "certify/permuted": _certified("permuted"),
    **dict.fromkeys(
        [f"certify/{name}" for name in ("assignment", "swaps")], _certified("assignment", "permuted")
    ),
    "certify/flip": _certified("minimal_flip"),
    "certify/group": _certified("group_mass"),
    "certify/ranges": _certified("permutation_range"),
    "certify/null": _certified("null"),
    "certify/curve": _certified("curve"),
    "certify/model": _certified("model"),
    "analyses/permutation": (_ANALYSES.format("counterfactuals"),),
    "analyses/adversary": (_ANALYSES.format("counterfactuals"),),
    "analyses/gradient": (_ANALYSES.format("importance"),),
    "analyses/leave_one_out": (_ANALYSES.format("importance"),),
}
COPIED = ("attn_jax", "experiments", "tests", "setup.cfg")
SPARE = 60  # CPU seconds beyond what the tests need unmutated; a fault that loops is noticed by this


@dataclasses.dataclass(frozen=True)
class Verdict:
    """Whether a mutant was noticed."""

    module: str
    mutant: Mutant
    killed: bool


def prepare() -> None:
    """Imports what the tests need, but for the code under test; jax must not compute here."""
    os.environ["JAX_COMPILATION_CACHE_DIR"] = str(pathlib.Path.home() / ".cache/attn_jax/mutants")
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


def unmutated(copy: pathlib.Path, modules: list[str]) -> dict[tuple[str, ...], int]:
    """The CPU seconds of each set of tests, which must pass; what they compile is kept for the mutants."""
    seconds = {}
    for tests in sorted({TESTS[module] for module in modules}):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        if not passes(copy, tests, 3600):
            sys.exit(f"{' '.join(tests)} fails without any fault put in")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds[tests] = int(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) + 1
        print(f"{' '.join(tests)}: {seconds[tests]} CPU seconds", flush=True)
    return seconds


def judged(copy: pathlib.Path, module: str, mutant: Mutant, seconds: int) -> Verdict:
    """Puts the fault in, runs the tests, takes it out."""
    path = copy / "attn_jax" / f"{module}.py"
    good = path.read_text()
    try:
        path.write_text(mutant.source)
        noticed = not passes(copy, TESTS[module], seconds + SPARE)
    finally:
        path.write_text(good)
    return Verdict(module, mutant, noticed)


def interval(killed: int, tried: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share (Wilson 1927)."""
    z, share = 1.96, killed / tried
    middle, spread = (
        share + z * z / (2 * tried),
        z * (share * (1 - share) / tried + (z / tried / 2) ** 2) ** 0.5,
    )
    return (middle - spread) / (1 + z * z / tried), (middle + spread) / (1 + z * z / tried)


def summarised(verdicts: list[Verdict], total: int, only: str, seed: int) -> section.Section:
    """Counts a module, and the survivors, each with its line."""
    killed = sum(verdict.killed for verdict in verdicts)
    low, high = interval(killed, len(verdicts))
    asked = f" --only {only}" if only else ""
    survivors = "; ".join(
        f"{verdict.module}.py:{verdict.mutant.line} `{verdict.mutant.what}`"
        for verdict in verdicts
        if not verdict.killed
    )
    rows = []
    for module in sorted({verdict.module for verdict in verdicts}):
        own = [verdict.killed for verdict in verdicts if verdict.module == module]
        rows.append({"module": f"{module}.py", "tried": len(own), "killed": sum(own)})
    return section.Section(
        "mutants",
        f"python -m reliability.mutants --limit {len(verdicts)}{asked} --seed {seed}",
        f"{killed} of {len(verdicts)} mutants killed: {killed / len(verdicts):.0%} [{low:.0%}, {high:.0%}], "
        f"a random sample of the {total} of {only or 'all modules'}. Survivors: {survivors or 'none'}.",
        rows,
    )


def main(
    minutes: float = 40,
    limit: int | None = None,
    only: str = "",
    seed: int = 0,
    out: pathlib.Path = section.FOLDER,
) -> None:
    """Mutate and count.

    Args:
        minutes: begin no further mutant after this.
        limit: try at most so many.
        only: modules whose path begins with one of these, e.g. certify,analyses/gradient.
        seed: of the order.
        out: folder for mutants.json.
    """
    prepare()
    modules = [module for module in TESTS if module.startswith(tuple(only.split(",")))]
    sources = {module: (section.ROOT / "attn_jax" / f"{module}.py").read_text() for module in modules}
    todo = [(module, mutant) for module, source in sources.items() for mutant in mutants(source)]
    random.Random(seed).shuffle(todo)
    began, verdicts = time.monotonic(), []
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        for name in COPIED:
            source = section.ROOT / name
            (shutil.copytree if source.is_dir() else shutil.copy)(source, copy / name)
        seconds = unmutated(copy, sorted({module for module, _ in todo[:limit]}))
        for module, mutant in todo[:limit]:
            if verdicts and time.monotonic() - began > 60 * minutes:
                break
            verdicts.append(judged(copy, module, mutant, seconds[TESTS[module]]))
            section.write(summarised(verdicts, len(todo), only, seed), out)


if __name__ == "__main__":
    command.run(main, prog="reliability.mutants")
