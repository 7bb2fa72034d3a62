"""`attention.parquet`: attention with several queries, one row per run, seed, instance and site.

    rows = [attention.row("iwslt", 0, "test-3", "dec/0/cross", target, source, alpha)]
    attention.write(run.attention, rows)

`weights` are those of an array [S, T], or [N, S, T] for N heads, in row-major order: query `s` looks at
key `t`. A run keeps at most `BOUND` instances here; what is averaged over all of them goes to the records.
"""

import math
import pathlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from jaxtyping import Float

from attn_jax.errors import UserError
from attn_jax.results import parquet

BOUND = 100  # instances a run: some ten thousand weights each would otherwise fill the disk
SCHEMA: dict[str, pl.DataType] = {
    "run": pl.String(),
    "seed": pl.Int64(),
    "id": pl.String(),
    "site": pl.String(),
    "query_tokens": pl.List(pl.String),
    "key_tokens": pl.List(pl.String),
    "shape": pl.List(pl.Int64),
    "weights": pl.List(pl.Float32),
}
_IDENTITY = ("run", "seed", "id", "site")


def row(
    run: str,
    seed: int,
    id: str,
    site: str,
    query_tokens: Sequence[str],
    key_tokens: Sequence[str],
    alpha: Float[np.ndarray, "*N S T"],
) -> dict[str, Any]:
    """One row of the file; `alpha` is cut to the tokens, no padding in it."""
    values = np.asarray(alpha, np.float32)
    return {
        "run": run,
        "seed": seed,
        "id": id,
        "site": site,
        "query_tokens": list(query_tokens),
        "key_tokens": list(key_tokens),
        "shape": list(values.shape),
        "weights": values.ravel().tolist(),
    }


def alpha(row: Mapping[str, Any]) -> Float[np.ndarray, "*N S T"]:
    """The weights of a row in their shape."""
    return np.asarray(row["weights"], np.float32).reshape(row["shape"])


def write(path: pathlib.Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Replaces `path` by these rows, atomically.

    Raises:
        UserError: a row breaks the schema, or a run keeps more than `BOUND` instances a seed.
    """
    parquet.write(path, _checked(str(path), pl.DataFrame([dict(one) for one in rows], schema=SCHEMA)))


def read(path: pathlib.Path) -> pl.DataFrame:
    """The frame of a file that `write` made (or a stranger: it is checked as on the way out).

    Raises:
        UserError: the file is missing, is no parquet or breaks the schema.
    """
    return _checked(str(path), parquet.read(path, "attention"))


def _checked(place: str, frame: pl.DataFrame) -> pl.DataFrame:
    frame = parquet.complete(place, frame, SCHEMA, SCHEMA)
    for one in frame.iter_rows(named=True):
        _check_shape(f"{place}: {one['site']} of instance {one['id']}", one)
    parquet.check_finite(place, frame)
    parquet.check_unique(place, frame, _IDENTITY)
    kept = max((part["id"].n_unique() for _, part in frame.group_by("run", "seed")), default=0)
    if kept > BOUND:
        raise UserError(f"{place}: {kept} instances of one seed where at most {BOUND} are kept.")
    return frame


def _check_shape(place: str, one: Mapping[str, Any]) -> None:
    shape, tokens = one["shape"], [len(one["query_tokens"]), len(one["key_tokens"])]
    if len(shape) not in (2, 3) or shape[-2:] != tokens:
        raise UserError(f"{place}: the shape {shape} must be {tokens}, with the heads before it if any.")
    if len(one["weights"]) != math.prod(shape):
        raise UserError(f"{place}: there are {len(one['weights'])} weights, not as many as {shape} holds.")
