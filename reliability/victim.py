"""Runs a command and has it killed as it touches the n-th file of a stage.

    python -m reliability.victim FOLDER STAGE N MODULE ARGUMENTS...

SIGKILL comes from the process itself, in an audit hook that Python calls before each opening, renaming,
making and removing of a file: moments that a clock would hit once in thousands. N = 0 kills nothing and
writes how often each stage touched a file of FOLDER to `FOLDER.touches.json`.
"""

import collections
import json
import os
import pathlib
import runpy
import signal
import sys

TOUCHES = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "fcntl.flock", "shutil.rmtree"}
# Which stage of a run a path belongs to, by a part of its name; the first that fits.
STAGES = {
    "training": "training",
    "params": "training",
    "metrics": "training",
    "parts": "analysis",
    "examples": "analysis",
    "records": "records",
    "index": "report",
    "": "start",
}


def stage_of(path: str) -> str:
    """The stage that writes this file of a run."""
    return next(stage for part, stage in STAGES.items() if part in path)


class Hook:
    """Counts touches below a folder, stage by stage, and kills at the wanted one."""

    def __init__(self, folder: pathlib.Path, stage: str, wanted: int):
        self.seen: collections.Counter[str] = collections.Counter()
        self._folder, self._stage, self._wanted = os.fspath(folder), stage, wanted

    def __call__(self, event: str, arguments: tuple) -> None:
        """Python's audit hook (PEP 578)."""
        if event not in TOUCHES or not isinstance(arguments[0], (str, os.PathLike)):
            return
        path = os.fspath(arguments[0])
        if not isinstance(path, str) or not path.startswith(self._folder):
            return
        stage = stage_of(path[len(self._folder) :])
        self.seen[stage] += 1
        if stage == self._stage and self.seen[stage] == self._wanted:
            os.kill(os.getpid(), signal.SIGKILL)


def main(folder: str, stage: str, wanted: str, module: str, *arguments: str) -> None:
    """Becomes the command under the hook."""
    hook = Hook(pathlib.Path(folder), stage, int(wanted))
    sys.argv = [module, *arguments]
    sys.addaudithook(hook)
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    finally:
        if wanted == "0":
            pathlib.Path(f"{folder}.touches.json").write_text(json.dumps(hook.seen))


if __name__ == "__main__":
    main(*sys.argv[1:])
