"""Files that are either the old one or the new one, never half of each."""

import os
import pathlib
import tempfile

from attn_jax.errors import UserError

_SUFFIX = ".tmp"


def write_bytes(path: pathlib.Path, content: bytes) -> None:
    """Replaces `path` by `content`: a temporary file in the same folder, fsync, rename.

    A reader, or a process killed at any moment, sees the old file or the new one.

    Raises:
        UserError: the disk is full or the folder cannot be written; the old file is untouched.
    """
    try:
        _replace(path, content)
    except OSError as error:
        raise UserError(
            f"cannot write {path}: {error.strerror or error}; free some space there or choose another folder."
        ) from error


def write_text(path: pathlib.Path, content: str) -> None:
    """`write_bytes` of the text in UTF-8, line ends as they are."""
    write_bytes(path, content.encode("utf-8"))


def sweep(folder: pathlib.Path) -> None:
    """Removes the temporary files that killed processes left in a folder that nobody else writes."""
    for path in folder.glob(f".*{_SUFFIX}"):
        path.unlink(missing_ok=True)


def _replace(path: pathlib.Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=_SUFFIX, dir=path.parent)
    temporary = pathlib.Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes the file private; give it the rights that `open` would have given.
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def _umask() -> int:
    """The process's mask of rights, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _sync_folder(folder: pathlib.Path) -> None:
    """Makes the rename itself survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
