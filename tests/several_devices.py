"""Code in a process of its own that has several simulated devices: their number is settled once a process."""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).parent.parent


def run(code: str, count: int) -> None:
    """Fails with the traceback of the code if it fails."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=os.environ | {"JAX_NUM_CPU_DEVICES": str(count), "JAX_PLATFORMS": "cpu"},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
