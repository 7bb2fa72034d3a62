"""Puts faults into the core, one at a time, and counts those that its tests notice.

    python -m reliability.mutants --minutes 40

The order is random, so whatever fits into the time is a fair sample of all mutants; the same command goes on
where it was stopped, as long as neither the package nor the tests of a mutant have changed since.
"""

import math
import pathlib
import random
import shutil
import tempfile
import time

from experiments import command
from reliability import equivalents, section
from reliability.mutation import Mutant, mutants
from reliability.verdicts import Court, Verdict, prepare

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
        [f"certify/{name}" for name in ("adversary", "farthest", "vertices")], _certified("edges", "max_jsd")
    ),
    "certify/door": _certified("minimal_flip", "max_jsd"),
    **dict.fromkeys([f"certify/{name}" for name in ("classes", "reach")], _certified("reach", "multiclass")),
    **dict.fromkeys(
        [f"certify/{name}" for name in ("edges", "exchange")], _certified("edges", "exchange", "multiclass")
    ),
    "certify/multiclass": _certified("edges", "multiclass"),
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
    "analyses/gradient": (_ANALYSES.format("documents"), _ANALYSES.format("importance")),
    "analyses/leave_one_out": (_ANALYSES.format("documents"), _ANALYSES.format("importance")),
}
COPIED = ("attn_jax", "experiments", "tests", "setup.cfg")


def drawn(only: str, seed: int) -> list[tuple[str, Mutant]]:
    """All mutants of these modules in a random order, in which an edit moves none but those it touches."""
    modules = [module for module in TESTS if module.startswith(tuple(only.split(",")))]
    every = [
        (module, mutant)
        for module in modules
        for mutant in mutants((section.ROOT / "attn_jax" / f"{module}.py").read_text())
    ]
    return sorted(every, key=lambda one: random.Random(f"{seed} {equivalents.named(*one)}").random())


def interval(killed: int, tried: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share (Wilson 1927)."""
    z, share = 1.96, killed / tried
    middle, spread = (
        share + z * z / (2 * tried),
        z * (share * (1 - share) / tried + (z / tried / 2) ** 2) ** 0.5,
    )
    return (middle - spread) / (1 + z * z / tried), (middle + spread) / (1 + z * z / tried)


def summarised(verdicts: list[Verdict], same: int, total: int, only: str, seed: int) -> section.Section:
    """Counts a module, and the survivors, each with its line."""
    killed, tried = sum(verdict.killed for verdict in verdicts), len(verdicts)
    low, high = interval(killed, tried)
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
        f"python -m reliability.mutants --limit {tried}{asked} --seed {seed}",
        f"{killed} of {tried} mutants killed: {killed / tried:.0%} [{low:.0%}, {high:.0%}], "
        f"a random sample of the {total} of {only or 'all modules'}; {same} more of the sample "
        "compute the same as the original and are listed in `reliability/equivalents.csv` with the reason. "
        f"Survivors: {survivors or 'none'}.",
        rows,
    )


def main(
    minutes: float = math.inf,
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
    every, known = drawn(only, seed), equivalents.read()
    began, verdicts, same = time.monotonic(), [], 0
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        for name in COPIED:
            source = section.ROOT / name
            (shutil.copytree if source.is_dir() else shutil.copy)(source, copy / name)
        court = Court(copy)
        for module, mutant in every:
            if len(verdicts) == limit or (verdicts and time.monotonic() - began > 60 * minutes):
                break
            if equivalents.named(module, mutant) in known:
                same += 1
                continue
            verdicts.append(court.judge(module, mutant, TESTS[module]))
            print(f"{module}.py:{mutant.line} {mutant.what}: {verdicts[-1].killed}", flush=True)
    section.write(summarised(verdicts, same, len(every), only, seed), out)


if __name__ == "__main__":
    command.run(main, prog="reliability.mutants")
