"""How every command starts and ends: one sentence and an exit code instead of a traceback."""

import atexit
import errno
import logging
import os
import pathlib
import signal
import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any

import tyro

from attn_jax.errors import UserError

BAD_INPUT, STOPPED = 2, 130
_FULL = os.strerror(errno.ENOSPC)
# A path that no file can have, or that the user may not touch.
_UNUSABLE = {errno.ENAMETOOLONG, errno.ELOOP, errno.ENOTDIR, errno.EISDIR, errno.EACCES, errno.EROFS}


def run(main: Callable[..., Any], *, prog: str) -> None:
    """Parses the command line for `main` and runs it."""
    _compile_once()
    # Checkpoint writers log the traceback of every error that they also raise, and those that are still
    # writing when one has failed report to a loop that is gone.
    logging.getLogger("absl").setLevel(logging.CRITICAL)
    sys.excepthook = _hook
    try:
        tyro.cli(main, prog=f"python -m {prog}")
    except UserError as error:
        _end(prog, str(error), error)
    except BrokenPipeError:
        # Whoever read our output has seen enough; nothing more may be written to it, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except Exception as error:
        sentence = _sentence(error)
        if sentence is None:
            raise
        _end(prog, sentence, error)
    except KeyboardInterrupt:
        # A second Ctrl-C, while threads and temporary files are put away, ends it at once.
        signal.signal(signal.SIGINT, lambda *_: os._exit(STOPPED))
        print(f"\n{prog}: stopped; the same command goes on from here.", file=sys.stderr)
        sys.exit(STOPPED)


def _hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Shows what nobody caught, but for threads that have lost the one they report to."""
    if not (isinstance(error, RuntimeError) and str(error) == "Event loop is closed"):
        sys.__excepthook__(kind, error, trace)


def _end(prog: str, sentence: str, error: Exception) -> None:
    """Says it once: what a library leaves half done fails again as it is put away at exit."""
    print(f"{prog}: {sentence}", file=sys.stderr)
    atexit.register(_silence, error)
    sys.exit(BAD_INPUT)


def _silence(error: Exception) -> None:
    """Holding the error until now keeps what it holds, too, from being put away before."""
    sys.unraisablehook = lambda _: None


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


def _compile_once() -> None:
    """Keeps compiled programs for the next start; jax reads these before its first import."""
    cache = pathlib.Path.home() / ".cache" / "attn_jax" / "compiled"
    os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(cache))
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0.5")
