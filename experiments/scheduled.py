"""A grid as one command a cell: what a scheduler is given, which we are not."""

import shlex
import sys
from collections.abc import Iterable, Mapping


def show(prog: str, cells: Iterable[Mapping[str, str]]) -> None:
    """Prints the command of each cell: this one, with the flags that tell the cell from the others."""
    for flags in cells:
        print(shlex.join(commanded(prog, sys.argv[1:], flags)))


def commanded(prog: str, given: list[str], flags: Mapping[str, str]) -> list[str]:
    """The words of one command: `given` without --dry-run, and with the cell's own flags instead of its."""
    kept, words = [], iter(given)
    for word in words:
        name, _, value = word.partition("=")
        name = name.removeprefix("--").replace("_", "-")
        if word.startswith("--") and name in flags:
            if not value:
                next(words, None)
        elif not (word.startswith("--") and name == "dry-run"):
            kept.append(word)
    own = [part for name, value in flags.items() for part in (f"--{name}", value)]
    return ["python", "-m", prog, *kept, *own]
