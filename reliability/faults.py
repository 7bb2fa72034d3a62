"""Breaks the machine under a command: full disk, damaged files, no memory, a clock that runs backwards.

    sudo python -m reliability.faults

Each fault must end in one sentence and the right exit code, and the same command must then go on to the
results of a run that nothing disturbed. Mounting small disks needs root. Two cores: about five minutes.
"""

import contextlib
import dataclasses
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

from experiments import command
from reliability import kills, likeness, section

SMALL = (
    *("experiments.jain_wallace", "--dataset", "reviews", "--encoder", "average"),
    *("--seeds", "2", "--preset", "quick", "--limit", "10"),
)
BACKWARDS = "import time; real = time.time; time.time = lambda: 4e9 - real()"
SCARCE = """
import jax
from attn_jax.analyses import trial
whole = trial.trial
def scarce(model, params, batch, *rest):
    if len(batch.index) > 8:
        raise jax.errors.JaxRuntimeError("RESOURCE_EXHAUSTED: Out of memory (simulated)")
    return whole(model, params, batch, *rest)
trial.trial = scarce
"""


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What a fault led to."""

    fault: str
    expected: int  # exit code
    done: subprocess.CompletedProcess
    differing: list[str]  # between the results in the end and those of an undisturbed run

    @property
    def sound(self) -> bool:
        """The expected exit code, no traceback, and the results in the end."""
        return (
            self.done.returncode == self.expected
            and "Traceback" not in self.done.stderr
            and not self.differing
        )

    def row(self) -> dict:
        """For the page."""
        said = [line for line in self.done.stderr.splitlines() + self.done.stdout.splitlines() if _told(line)]
        return {
            "fault": self.fault,
            "exit code": self.done.returncode,
            "what it says": _SCRATCH.sub("OUT", said[-1].split(": ", 1)[-1]) if said else "nothing",
            "goes on to the same results": "yes" if not self.differing else "; ".join(self.differing),
        }


_SCRATCH = re.compile(re.escape(tempfile.gettempdir()) + r"/\w+")


def _told(line: str) -> bool:
    return line.startswith(("experiments.", "Out of memory"))


def start(folder: pathlib.Path, *more: str, before: str = "", line: tuple[str, ...] = SMALL):
    """Runs the command to its end, in a process where `before` is executed first."""
    module, *arguments = (*line, *more, "--out", str(folder))
    code = f"{before}\nimport runpy, sys\nsys.argv = {['', *arguments]!r}\n"
    code += f"runpy.run_module({module!r}, run_name='__main__', alter_sys=True)"
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=section.ROOT,
        capture_output=True,
        text=True,
        timeout=kills.LIMIT,
        check=False,
    )


@contextlib.contextmanager
def disk(folder: pathlib.Path, *options: str) -> Iterator[pathlib.Path]:
    """A file system in memory, mounted at `folder`."""
    folder.mkdir()
    _mount("-t", "tmpfs", "-o", ",".join(options), "none", str(folder))
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True, timeout=60)


def _mount(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], check=True, timeout=60)


def full_disk(work: pathlib.Path, reference: pathlib.Path) -> Outcome:
    """Too small a disk, then a larger one under the same files."""
    with disk(work / "full", "size=600k") as folder:
        done = start(folder / "run")
        _mount("-o", "remount,size=64m", str(folder))
        start(folder / "run")
        return Outcome("full disk", 2, done, likeness.differences(reference, folder / "run"))


def unwritable(work: pathlib.Path, reference: pathlib.Path) -> Outcome:
    """A disk that may only be read."""
    with disk(work / "readonly", "size=64m,ro") as folder:
        done = start(folder / "run")
        _mount("-o", "remount,rw", str(folder))
        start(folder / "run")
        return Outcome("unwritable folder", 2, done, likeness.differences(reference, folder / "run"))


def truncated_checkpoint(work: pathlib.Path, reference: pathlib.Path) -> Outcome:
    """Half of the largest file of the trained parameters; deleting them, as told, trains again."""
    folder = work / "truncated"
    kills._start(SMALL, folder, "analysis", 1)
    largest = max((folder / "params").rglob("*"), key=lambda path: path.stat().st_size)
    largest.write_bytes(largest.read_bytes()[: largest.stat().st_size // 2])
    done = start(folder)
    subprocess.run(["rm", "-r", str(folder / "params" / "0")], check=True, timeout=60)
    start(folder)
    return Outcome("truncated checkpoint", 2, done, likeness.differences(reference, folder))


def corrupt_compile_cache(work: pathlib.Path, reference: pathlib.Path) -> Outcome:
    """Every compiled program cut in half."""
    cache = work / "cache"
    before = f"import os; os.environ['JAX_COMPILATION_CACHE_DIR'] = {str(cache)!r}"
    start(work / "warm", before=before)
    for path in cache.rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    done = start(work / "corrupt", before=before)
    return Outcome("corrupt compile cache", 0, done, likeness.differences(reference, work / "corrupt"))


def nan_loss(work: pathlib.Path, reference: pathlib.Path) -> Outcome:
    """Word vectors so large that the loss overflows. Without them it goes on."""
    words = ("a", "the", "film", "plot", "was", "is", "and", "it", "great", "awful")
    (work / "huge.txt").write_text("".join(f"{word} {' '.join(['3e38'] * 300)}\n" for word in words))
    done = start(work / "nan", "--vectors", str(work / "huge.txt"))
    start(work / "not-nan")
    return Outcome("loss that is not finite", 2, done, likeness.differences(reference, work / "not-nan"))


def out_of_memory(work: pathlib.Path, reference: pathlib.Path) -> Outcome:
    """Memory for eight instances at once (simulated)."""
    done = start(work / "scarce", before=SCARCE)
    differing = likeness.differences(reference, work / "scarce", rounded=True)
    return Outcome("out of memory at 32 instances", 0, done, differing)


def backwards_clock(work: pathlib.Path, reference: pathlib.Path) -> Outcome:
    """`time.time` falls."""
    done = start(work / "clock", before=BACKWARDS)
    return Outcome("clock going backwards", 0, done, likeness.differences(reference, work / "clock"))


def ctrl_c_twice(work: pathlib.Path, reference: pathlib.Path) -> Outcome:
    """Two interrupts a tenth of a second apart, once training has begun."""
    folder = work / "interrupted"
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a process in the background ignores it
    process = subprocess.Popen(
        [sys.executable, "-m", *SMALL, "--out", str(folder)],
        cwd=section.ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        while process.poll() is None and not (folder / "training").exists():
            time.sleep(0.1)
        for _ in range(2):
            process.send_signal(signal.SIGINT)
            time.sleep(0.1)
        out, err = process.communicate(timeout=kills.LIMIT)
    finally:
        process.kill()
    done = subprocess.CompletedProcess(process.args, process.returncode, out, err)
    start(folder)
    return Outcome("Ctrl-C twice", 130, done, likeness.differences(reference, folder))


def second_process(work: pathlib.Path, reference: pathlib.Path) -> Outcome:
    """The folder is held by another process."""
    from attn_jax.results import lock

    folder = work / "held"
    folder.mkdir()
    with lock.held(folder / "lock"):
        done = start(folder)
    start(folder)
    return Outcome("folder in use by another process", 2, done, likeness.differences(reference, folder))


FAULTS = (
    *(full_disk, unwritable, truncated_checkpoint, corrupt_compile_cache, nan_loss),
    *(out_of_memory, backwards_clock, ctrl_c_twice, second_process),
)


def summarised(outcomes: list[Outcome], only: str) -> section.Section:
    """How many end as they should, and what each says."""
    sound = sum(outcome.sound for outcome in outcomes)
    return section.Section(
        "faults",
        f"python -m reliability.faults{f' --only {only}' if only else ''}",
        f"{sound} of {len(outcomes)} faults end as they should.",
        [outcome.row() for outcome in outcomes],
    )


def main(only: str = "", out: pathlib.Path = section.FOLDER) -> None:
    """Cause each fault and see what comes of it.

    Args:
        only: names of faults, separated by commas.
        out: folder for faults.json.
    """
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        start(work / "reference")
        for fault in FAULTS:
            if not only or fault.__name__ in only.split(","):
                outcomes.append(fault(work, work / "reference"))
                section.write(summarised(outcomes, only), out)
    for outcome in outcomes:
        if not outcome.sound:
            print(f"--- {outcome.fault}\n{outcome.done.stderr[-3000:]}", file=sys.stderr)
    sys.exit(not all(outcome.sound for outcome in outcomes))


if __name__ == "__main__":
    command.run(main, prog="reliability.faults")
