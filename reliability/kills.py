"""Kills commands at random moments, starts them again, and compares with a run that nobody disturbed.

    python -m reliability.kills --kills 36

Half of the kills come after a random time, half as the process touches a random file of a random stage
(see `victim.py`). Two cores, warm compile cache: about half a minute a kill.
"""

import collections
import dataclasses
import itertools
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

from experiments import command
from reliability import likeness, section

SUBJECTS = {
    "quickstart": ("experiments.quickstart",),
    "grid": (
        *("experiments.jain_wallace", "--dataset", "reviews", "--encoder", "average"),
        *("--attention", "additive,dot", "--preset", "quick", "--limit", "10"),
    ),
}
PER_ROUND = 5  # kills before a run may end, so that several fall on one folder
LIMIT = 1800  # seconds that one start may take


@dataclasses.dataclass(frozen=True)
class Kill:
    """One kill that hit."""

    subject: str
    by: str  # clock or file
    stage: str


@dataclasses.dataclass(frozen=True)
class Reference:
    """The undisturbed run."""

    line: tuple[str, ...]
    folder: pathlib.Path
    seconds: float
    touches: dict[str, int]


def undisturbed(name: str, folder: pathlib.Path) -> Reference:
    """Runs the command once, counting the files that each stage touches."""
    line, began = SUBJECTS[name], time.monotonic()
    code = _start(line, folder, "none", 0)
    if code != 0:
        sys.exit(f"the undisturbed run of {name} ended with exit code {code}")
    touches = pathlib.Path(f"{folder}.touches.json")
    return Reference(line, folder, time.monotonic() - began, json.loads(touches.read_text()))


def round_of_kills(
    name: str, reference: Reference, folder: pathlib.Path, wanted: int, dice: random.Random
) -> tuple[list[Kill], list[str]]:
    """Kills a fresh run up to `wanted` times and lets it end; the kills that hit and what then differs."""
    hits = []
    for by in itertools.islice(itertools.cycle(("clock", "file")), wanted):
        stage, code = _attack(by, reference, folder, dice)
        if code == 0:
            break
        hits.append(Kill(name, by, stage))
    else:
        code = _start(reference.line, folder, "none", -1)
    ended = [] if code == 0 else [f"exit code {code}"]
    return hits, ended + likeness.differences(reference.folder, folder)


def _attack(by: str, reference: Reference, folder: pathlib.Path, dice: random.Random) -> tuple[str, int]:
    """Starts the command and kills it; (the stage it was in, 0 if it ended before the kill)."""
    if by == "file":
        stage = dice.choice(sorted(reference.touches))
        return stage, _start(reference.line, folder, stage, dice.randint(1, reference.touches[stage]))
    code = _start(reference.line, folder, "none", -1, kill_after=dice.uniform(0, reference.seconds))
    return _reached(folder), code


def _start(
    line: tuple[str, ...], folder: pathlib.Path, stage: str, touch: int, kill_after: float = LIMIT
) -> int:
    """Runs the command to its end or its death; its exit code, negative if it was killed."""
    victim = ("reliability.victim", str(folder), stage, str(touch))
    process = subprocess.Popen(
        [sys.executable, "-m", *victim, *line, "--out", str(folder)],
        cwd=section.ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        return process.wait(timeout=kill_after)
    except subprocess.TimeoutExpired:
        return -9
    finally:
        process.kill()
        process.wait(timeout=60)


def _reached(folder: pathlib.Path) -> str:
    """The stage that the newest run below was in, by the files that stand there."""
    configs = sorted(folder.rglob("config.json"), key=lambda path: path.stat().st_mtime)
    if not configs:
        return "start"
    steps = {"metrics.jsonl": "training", "examples.parquet": "analysis", "records.csv": "records"}
    missing = (stage for name, stage in steps.items() if not (configs[-1].parent / name).exists())
    return next(missing, "report")


def harness(
    subjects: tuple[str, ...], kills: int, seed: int, work: pathlib.Path
) -> Iterator[section.Section]:
    """Rounds over all subjects in turn until `kills` have hit; the figures so far after each."""
    dice, hits, wrong, rounds = random.Random(seed), [], [], 0
    references = {name: undisturbed(name, work / f"{name}-reference") for name in dict.fromkeys(subjects)}
    while len(hits) < kills:
        name = subjects[rounds % len(subjects)]
        wanted = min(PER_ROUND, kills - len(hits))
        found, differing = round_of_kills(name, references[name], work / f"{name}-{rounds}", wanted, dice)
        hits += found
        wrong += [f"{name}, round {rounds}: {what}" for what in differing]
        rounds += 1
        yield _section(hits, wrong, rounds, ",".join(subjects), seed)


def _section(hits: list[Kill], wrong: list[str], rounds: int, turns: str, seed: int) -> section.Section:
    counts = collections.Counter((hit.subject, hit.stage, hit.by) for hit in hits)
    places = sorted({(hit.subject, hit.stage) for hit in hits})
    rows = [
        {"command": subject, "stage": stage, **{f"by {by}": counts[subject, stage, by] for by in _BY}}
        for subject, stage in places
    ]
    found = f"Differences: {'; '.join(wrong)}." if wrong else "No file and no array differed, none was lost."
    return section.Section(
        "kills",
        f"python -m reliability.kills --kills {len(hits)} --turns {turns} --seed {seed}",
        f"{len(hits)} kills (SIGKILL) in {rounds} runs, each run then ended by the same command. {found}",
        rows,
    )


_BY = ("clock", "file")


def main(
    kills: int = 36, turns: str = "grid,grid,quickstart", seed: int = 0, out: pathlib.Path = section.FOLDER
) -> None:
    """Kill and compare.

    Args:
        kills: how many must hit.
        turns: whose run is killed next, over and over.
        seed: of the moments.
        out: folder for kills.json.
    """
    with tempfile.TemporaryDirectory() as work:
        for found in harness(tuple(turns.split(",")), kills, seed, pathlib.Path(work)):
            section.write(found, out)
    sys.exit("Differences" in found.summary)


if __name__ == "__main__":
    command.run(main, prog="reliability.kills")
