"""Where prepared corpora are kept, and when one can be used again."""

import functools
import hashlib
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from attn_jax.data.specs.spec import DatasetSpec
from attn_jax.errors import UserError


def default_dir() -> Path:
    """`~/.cache/attn_jax`."""
    return Path.home() / ".cache" / "attn_jax" / "data"


def fingerprint(spec: DatasetSpec, files: Sequence[Path]) -> str:
    """Changes with every stated step, the code that takes it, and the raw files (name, size, time)."""
    digest = hashlib.sha256(repr(spec).encode() + _code())
    for path in files:
        status = path.stat()
        digest.update(f"{path} {status.st_size} {status.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:20]


@functools.cache
def _code() -> bytes:
    """The source of everything that prepares: an update of the package never reads what an older one made."""
    here = Path(__file__).parent
    names = ("builders", "custom", "division", "preparation", "text")
    sources = [*(here / f"{name}.py" for name in names), *here.glob("loaders/*.py")]
    return b"".join(path.read_bytes() for path in sorted(sources))


def prepared(directory: Path, prepare: Callable[[Path], None]) -> Path:
    """`directory`, filled by `prepare` if it is not there yet.

    Prepared beside it under another name and then renamed: what is there is complete.
    """
    if directory.is_dir():
        return directory
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".preparing-", dir=directory.parent) as scratch:
            prepare(Path(scratch) / "corpus")
            _rename(Path(scratch) / "corpus", directory)
    except OSError as error:
        what = error.strerror or str(error)
        raise UserError(
            f"{directory.parent}: cannot be written ({what}); choose another cache folder."
        ) from error
    return directory


def _rename(made: Path, directory: Path) -> None:
    try:
        made.rename(directory)
    except OSError:
        # Another process was first; its copy is as good as ours.
        if not directory.is_dir():
            raise
