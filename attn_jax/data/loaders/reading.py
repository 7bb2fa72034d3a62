"""Text files as numbered lines, plain or gzipped; every failure is one sentence with file and line."""

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from attn_jax.errors import UserError

# No published line comes near it; a broken file cannot fill the memory.
LONGEST_LINE = 2**26


def open_bytes(path: Path) -> BinaryIO:
    """The file's bytes, decompressed if its name ends in `.gz`."""
    try:
        return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")  # type: ignore[return-value]
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror or error}); check the path.") from error


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """(line number from 1, line without its end), decoded as UTF-8."""
    number = 0
    with open_bytes(path) as file:
        while True:
            number += 1
            try:
                line = file.readline(LONGEST_LINE)
            except (EOFError, zlib.error, OSError) as error:
                raise UserError(
                    f"{path}, line {number}: the file is damaged or cut short; download it again."
                ) from error
            if not line:
                return
            yield number, decode(line, f"{path}, line {number}").rstrip("\r\n")


def decode(text: bytes, where: str) -> str:
    """UTF-8 or a sentence: a wrong encoding is named, never guessed at."""
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UserError(f"{where}: not UTF-8 (byte {error.start + 1}); convert the file to UTF-8.") from error
