"""Frames on disk, written whole or not at all and checked on the way in as on the way out."""

import io
import pathlib
from collections.abc import Mapping

import polars as pl

from attn_jax.errors import UserError
from attn_jax.results import atomic

Schema = Mapping[str, pl.DataType]


def write(path: pathlib.Path, frame: pl.DataFrame) -> None:
    """Replaces `path` by this frame, atomically; the same frame gives the same bytes."""
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd", statistics=False)
    atomic.write_bytes(path, buffer.getvalue())


def read(path: pathlib.Path, what: str) -> pl.DataFrame:
    """The frame of a file; `what` names its rows in the sentence of a failure.

    Raises:
        UserError: the file is missing or is no parquet.
    """
    try:
        # Bytes, not the path: polars would take brackets and stars in a folder's name for a pattern.
        return pl.read_parquet(io.BytesIO(path.read_bytes()))
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = str(error).splitlines()[0]
        raise UserError(f"cannot read {what} from {path}: {reason}; run the experiment again.") from error


def complete(place: str, frame: pl.DataFrame, schema: Schema, required: Schema) -> pl.DataFrame:
    """The frame in the types of `schema`, every required column there and without a gap.

    Raises:
        UserError: begins with `place`.
    """
    missing = [name for name in required if name not in frame.columns]
    if missing:
        raise UserError(f"{place}: the columns {', '.join(missing)} are missing.")
    frame = _cast(place, frame, schema)
    empty = [name for name in required if frame[name].null_count()]
    if empty:
        raise UserError(f"{place}: the column {empty[0]} has empty cells.")
    return frame


def _cast(place: str, frame: pl.DataFrame, schema: Schema) -> pl.DataFrame:
    for name, dtype in schema.items():
        if name in frame.columns and frame.schema[name] != dtype:
            try:
                frame = frame.with_columns(pl.col(name).cast(dtype, strict=True))
            except pl.exceptions.PolarsError as error:
                found = frame.schema[name]
                raise UserError(f"{place}: the column {name} must be {dtype}, not {found}.") from error
    return frame


def check_finite(place: str, frame: pl.DataFrame) -> None:
    """Raises a UserError where a number, however deep in lists, is NaN or infinite."""
    for name, dtype in frame.schema.items():
        values, inner = frame[name], dtype
        while isinstance(inner, pl.List):
            values, inner = values.explode(), inner.inner
        if inner.is_float() and not values.drop_nulls().is_finite().all():
            raise UserError(
                f"{place}: {name} holds a number that is not finite; leave the cell empty instead."
            )


def check_unique(place: str, frame: pl.DataFrame, identity: tuple[str, ...]) -> None:
    """Raises a UserError where two rows have the same identity."""
    if frame.select(identity).is_duplicated().any():
        raise UserError(f"{place}: two rows have the same {', '.join(identity)}.")
