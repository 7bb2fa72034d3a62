"""A measurement in a process of its own: its memory, its devices and its compiler are nobody else's."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping

from attn_jax.errors import UserError

SECONDS = 3600


def told(
    module: str,
    *arguments: str,
    environment: Mapping[str, str] | None = None,
    before: Callable[[], None] | None = None,
) -> dict:
    """The JSON of the last line that `python -m module` prints; `before` runs in the new process first."""
    words = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(
        words,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        env=os.environ | dict(environment or {}),
        preexec_fn=before,
    )
    if done.returncode:
        raise UserError(f"{' '.join(words[1:])} failed: {done.stderr.strip()[-500:]}")
    return json.loads(done.stdout.splitlines()[-1])
