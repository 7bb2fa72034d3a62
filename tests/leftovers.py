"""Processes that outlive the tests that started them."""

import ctypes
import sys

import psutil

_PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h


def adopt_orphans() -> None:
    """Makes what a dead worker leaves running a child of this process, so that `end` finds it (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end() -> list[str]:
    """Kills every process below this one; their command lines.

    Python's own resource trackers end by themselves when the process that they serve does.
    """
    found = [child for child in psutil.Process().children(recursive=True) if _is_left(child)]
    names = [" ".join(child.cmdline()) for child in found]
    for child in found:
        child.kill()
    psutil.wait_procs(found, timeout=10)
    return names


def _is_left(child: psutil.Process) -> bool:
    try:
        if child.status() == psutil.STATUS_ZOMBIE:
            return False
        return "resource_tracker" not in " ".join(child.cmdline())
    except psutil.NoSuchProcess:
        return False
