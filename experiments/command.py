"""How every command starts and ends: one sentence and an exit code instead of a traceback."""

import os
import pathlib
import sys
from collections.abc import Callable
from typing import Any

import tyro

from attn_jax.errors import UserError

BAD_INPUT, STOPPED = 2, 130


def run(main: Callable[..., Any], *, prog: str) -> None:
    """Parses the command line for `main` and runs it."""
    _compile_once()
    try:
        tyro.cli(main, prog=f"python -m {prog}")
    except UserError as error:
        print(f"{prog}: {error}", file=sys.stderr)
        sys.exit(BAD_INPUT)
    except KeyboardInterrupt:
        print(f"\n{prog}: stopped; the same command goes on from here.", file=sys.stderr)
        sys.exit(STOPPED)


def _compile_once() -> None:
    """Keeps compiled programs for the next start; jax reads these before its first import."""
    cache = pathlib.Path.home() / ".cache" / "attn_jax" / "compiled"
    os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(cache))
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0.5")
