"""One process at a time in a run directory, and a file that says which.

The kernel's lock on the file decides, so a killed process holds nothing and its process id may be
given to another without harm; what the file says is for people. Another host's kernel cannot be
asked on every file system, so a lock left by another host is never taken over.
"""

import contextlib
import fcntl
import json
import os
import pathlib
import socket
from collections.abc import Iterator

from attn_jax.errors import UserError


@contextlib.contextmanager
def held(path: pathlib.Path) -> Iterator[None]:
    """Holds the lock file `path` while the block runs.

    Raises:
        UserError: another process holds it, or one on another host left it; names pid and host.
    """
    descriptor = _acquire(path)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)  # before the lock goes: whoever waits for it sees that it is gone
        os.close(descriptor)


def _acquire(path: pathlib.Path) -> int:
    """An open descriptor with the kernel's lock, our name written in the file."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _still_there(path, descriptor):
                _sign(path, descriptor)
                return descriptor
        except BlockingIOError as error:
            holder = _describe(_read(descriptor))
            os.close(descriptor)
            raise UserError(
                f"{path.parent} is in use by {holder}; wait for it or choose another folder."
            ) from error
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _still_there(path: pathlib.Path, descriptor: int) -> bool:
    """Whether the name still leads to our file: its last holder may have removed it as we opened it."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _sign(path: pathlib.Path, descriptor: int) -> None:
    """Writes who we are, unless another host's name stands there."""
    holder = _read(descriptor)
    if holder and holder.get("host") != socket.gethostname():
        raise UserError(
            f"{path.parent} was left locked by {_describe(holder)}; if nothing runs there, delete {path}."
        )
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, json.dumps({"host": socket.gethostname(), "pid": os.getpid()}).encode(), 0)
    os.fsync(descriptor)


def _read(descriptor: int) -> dict:
    """Who signed, {} where the file is empty or was cut off while being signed."""
    try:
        holder = json.loads(os.pread(descriptor, 4096, 0))
    except ValueError:
        return {}
    return holder if isinstance(holder, dict) else {}


def _describe(holder: dict) -> str:
    if not holder:
        return "another process"
    return f"process {holder.get('pid')} on host {holder.get('host')}"
