"""Archives: listed, and only the wanted members extracted, never to a place outside the target."""

import shutil
import stat
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from attn_jax.errors import UserError

SUFFIXES = (".tar.gz", ".tgz", ".tar", ".zip")


def is_archive(path: Path) -> bool:
    """By its name."""
    return path.name.endswith(SUFFIXES)


def members(path: Path) -> list[str]:
    """The names of the regular files in it."""
    try:
        return [name for name, _ in _members(path)]
    except Exception as error:
        raise _damaged(path, error) from error


def extract(path: Path, wanted: set[str], target: Path) -> dict[str, Path]:
    """Writes the wanted members below `target` under their own names; links are never followed."""
    written = {}
    try:
        for name, file in _members(path):
            if name not in wanted:
                continue
            written[name] = _inside(target, name, path)
            written[name].parent.mkdir(parents=True, exist_ok=True)
            with file, written[name].open("wb") as copy:
                shutil.copyfileobj(file, copy)
    except Exception as error:
        raise _damaged(path, error) from error
    return written


def _inside(target: Path, name: str, archive: Path) -> Path:
    pure = PurePosixPath(name)
    if pure.is_absolute() or ".." in pure.parts or "\\" in name:
        raise UserError(
            f"{archive}: it names a path outside its folder ({name[:60]!r}); get a clean archive."
        )
    return target / pure


def _members(path: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """(name, content) of each regular file, in the archive's order: one pass, no seeking back."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                link = stat.S_ISLNK(info.external_attr >> 16)
                if not info.is_dir() and not link:
                    yield info.filename, archive.open(info)
        return
    with tarfile.open(path, "r|*") as archive:
        for member in archive:
            content = archive.extractfile(member) if member.isreg() else None
            if content is not None:
                yield member.name, content


def _damaged(path: Path, error: Exception) -> UserError:
    """A broken archive can make the standard library raise nearly anything, IndexError included."""
    if isinstance(error, UserError):
        return error
    return UserError(f"{path}: the archive is damaged or cut short; download it again.")
