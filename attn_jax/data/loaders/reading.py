"""Text files as numbered lines, plain or gzipped; every failure is one sentence with file and line."""

import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path

from attn_jax.errors import UserError

# No published line comes near it; a broken file cannot fill the memory.
LONGEST_LINE = 2**26


def open_bytes(path: Path) -> io.BufferedIOBase:
    """The file's bytes, decompressed if its name ends in `.gz`."""
    try:
        return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror or error}); check the path.") from error


def lines(path: Path, encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
    """(line number from 1, line without its end), decoded strictly."""
    number = 0
    with open_bytes(path) as file:
        while True:
            number += 1
            where = f"{path}, line {number}"
            try:
                line = file.readline(LONGEST_LINE)
            except (EOFError, zlib.error, OSError) as error:
                raise UserError(f"{where}: the file is damaged or cut short; download it again.") from error
            if not line:
                return
            yield number, decode(line, where, encoding).rstrip("\r\n")


def document(path: Path, encoding: str = "utf-8") -> str:
    """A whole small file as one text."""
    try:
        with open_bytes(path) as file:
            return decode(file.read(LONGEST_LINE), str(path), encoding)
    except (EOFError, zlib.error, OSError) as error:
        raise UserError(f"{path}: the file is damaged or cut short; download it again.") from error


def decode(text: bytes, where: str, encoding: str = "utf-8") -> str:
    """The text or a sentence: a wrong encoding is named, never guessed at."""
    try:
        return text.decode(encoding)
    except UnicodeDecodeError as error:
        raise UserError(
            f"{where}: not {encoding.upper()} (byte {error.start + 1}); convert the file to it."
        ) from error
