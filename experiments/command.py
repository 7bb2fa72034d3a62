"""How every command starts and ends: one sentence and an exit code instead of a traceback."""

import atexit
import contextlib
import ctypes
import errno
import importlib.util
import inspect
import logging
import os
import pathlib
import signal
import sys
from collections.abc import Callable
from typing import Any

import tyro

from attn_jax.errors import UserError

BAD_INPUT, STOPPED = 2, 130
MOST_CORES = 8  # as devices: beyond, batches would hold more rows than small corpora have
_ACCELERATORS = ("jax_plugins", "libtpu")  # packages through which jax finds them
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of mallopt, in malloc.h
_FULL = os.strerror(errno.ENOSPC)
# A path that no file can have, or that the user may not touch.
_UNUSABLE = {errno.ENAMETOOLONG, errno.ELOOP, errno.ENOTDIR, errno.EISDIR, errno.EACCES, errno.EROFS}


def run(main: Callable[..., Any], *, prog: str) -> None:
    """Parses the command line for `main` and runs it."""
    _compile_once()
    compile_soon()
    every_core()
    keep_memory()
    # Checkpoint writers log the traceback of every error that they also raise, and what was still being
    # written or read then fails after it.
    for name in ("absl", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    # Registered first, so it runs last: behind it a second Ctrl-C would find no handler of ours any more.
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)
    sys.unraisablehook = _without_leftovers(sys.unraisablehook)
    try:
        tyro.cli(main, prog=f"python -m {prog}")
    except UserError as error:
        print(f"{prog}: {error}", file=sys.stderr)
        sys.exit(BAD_INPUT)
    except BrokenPipeError:
        # Whoever read our output has seen enough; nothing more may be written to it, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except Exception as error:
        sentence = _sentence(error)
        if sentence is None:
            raise
        print(f"{prog}: {sentence}", file=sys.stderr)
        sys.exit(BAD_INPUT)
    except KeyboardInterrupt:
        # A second Ctrl-C, while threads and temporary files are put away, ends it at once.
        signal.signal(signal.SIGINT, lambda *_: os._exit(STOPPED))
        print(f"\n{prog}: stopped; the same command goes on from here.", file=sys.stderr)
        sys.exit(STOPPED)


def _without_leftovers(
    shown: Callable[["sys.UnraisableHookArgs"], Any],
) -> Callable[["sys.UnraisableHookArgs"], Any]:
    """What nobody can catch is shown, but for what a failed checkpoint leaves half done.

    Only its library has coroutines, and threads that report to a loop.
    """

    def hook(fault: "sys.UnraisableHookArgs") -> None:
        lost = isinstance(fault.exc_value, RuntimeError) and str(fault.exc_value) == "Event loop is closed"
        if not lost and not inspect.iscoroutine(fault.object):
            shown(fault)

    return hook


def _sentence(error: BaseException | None) -> str | None:
    """What the machine refuses, however many libraries have wrapped it; None if the fault is ours."""
    again = "and the same command goes on from here."
    while error is not None:
        if getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT) or _FULL in str(error):
            return f"the disk is full; make room, {again}"
        if isinstance(error, MemoryError) or "RESOURCE_EXHAUSTED: Out of memory" in str(error):
            return f"the memory is exhausted; end other programs or ask for fewer seeds, {again}"
        if isinstance(error, OSError) and error.errno in _UNUSABLE:
            return f"{str(error.filename)[:200]} cannot be used: {error.strerror}; name another path."
        error = error.__cause__ or error.__context__
    return None


def compile_soon() -> None:
    """Asks for less of the CPU's compiler, whose last passes cost time and gain our programs none.

    Where an accelerator can be used its compiler, which reads the same flag, is left as it is.
    """
    flags = os.environ.get("XLA_FLAGS", "")
    if "xla_backend_optimization_level" in flags or any(map(importlib.util.find_spec, _ACCELERATORS)):
        return
    os.environ["XLA_FLAGS"] = f"{flags} --xla_backend_optimization_level=1".strip()


def every_core() -> None:
    """Makes each core of a CPU a device, which analyses divide their batches over.

    The loop of a recurrent encoder keeps a single core busy; jax reads this before its first import.
    """
    if "xla_force_host_platform_device_count" in os.environ.get("XLA_FLAGS", ""):
        return  # the user's own number of devices
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    os.environ.setdefault("JAX_NUM_CPU_DEVICES", str(min(cores, MOST_CORES)))


def keep_memory() -> None:
    """Asks the C library to keep what is freed: the next batch wants as much again.

    Given back to the system, it would be cleared page by page for each batch, which takes longer than what is
    computed in it. Other C libraries than GNU's are left as they are.
    """
    with contextlib.suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        library.mallopt(_MMAP_THRESHOLD, 1 << 30)
        library.mallopt(_TRIM_THRESHOLD, (1 << 31) - 1)


def _compile_once() -> None:
    """Keeps compiled programs for the next start; jax reads these before its first import."""
    cache = pathlib.Path.home() / ".cache" / "attn_jax" / "compiled"
    os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(cache))
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0.5")
