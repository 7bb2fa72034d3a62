"""`examples.parquet`: what was seen and computed, one row per run, seed and instance.

Besides the columns of `SCHEMA`, of which `REQUIRED` must be there, a frame may hold any `score/NAME`
(a list of numbers as long as `tokens`) and any further column; every number in it is finite, and
null, never NaN, is what is undefined.
"""

import pathlib

import polars as pl

from attn_jax.errors import UserError
from attn_jax.results import parquet

_NUMBERS = pl.List(pl.Float32)  # what the model computed in, so nothing is lost
_WORDS = pl.List(pl.String)
_FLAGS = pl.List(pl.Boolean)
SCORE = "score/"

REQUIRED: dict[str, pl.DataType] = {
    "run": pl.String(),
    "seed": pl.Int64(),
    "id": pl.String(),
    "split": pl.String(),
    "tokens": _WORDS,
    "mask": _FLAGS,  # attendable: SOS and EOS are tokens too, but attention never looks at them
    "gold": pl.Int64(),
    "prediction": pl.Int64(),
    "probabilities": _NUMBERS,
    "alpha": _NUMBERS,
}
SCHEMA: dict[str, pl.DataType] = REQUIRED | {
    "question": _WORDS,
    "token_logits": pl.List(_NUMBERS),
    "rationale": _FLAGS,
    "curve_jsd": _NUMBERS,
    "curve_null_jsd": _NUMBERS,
}
_AS_LONG_AS_TOKENS = ("mask", "alpha", "rationale", "token_logits")
_IDENTITY = ("run", "seed", "split", "id")


def write(path: pathlib.Path, frame: pl.DataFrame) -> None:
    """Replaces `path` by this frame, atomically; the same frame gives the same bytes.

    Raises:
        UserError: a column is missing, of the wrong type or length, or holds a NaN.
    """
    parquet.write(path, checked(str(path), frame))


def read(path: pathlib.Path) -> pl.DataFrame:
    """The frame of a file that `write` made (or a stranger: it is checked as on the way out).

    Raises:
        UserError: the file is missing, is no parquet or breaks the schema.
    """
    return checked(str(path), parquet.read(path, "examples"))


def checked(place: str, frame: pl.DataFrame) -> pl.DataFrame:
    """The frame in the types of `SCHEMA`, or a UserError that begins with `place`."""
    scores = dict.fromkeys((name for name in frame.columns if name.startswith(SCORE)), _NUMBERS)
    frame = parquet.complete(place, frame, SCHEMA | scores, REQUIRED)
    _check_lengths(place, frame)
    parquet.check_finite(place, frame)
    parquet.check_unique(place, frame, _IDENTITY)
    return frame


def _check_lengths(place: str, frame: pl.DataFrame) -> None:
    names = [n for n in frame.columns if n in _AS_LONG_AS_TOKENS or n.startswith(SCORE)]
    for name in names:
        wrong = frame.filter(pl.col(name).list.len() != pl.col("tokens").list.len())
        if wrong.height:
            raise UserError(f"{place}: {name} of instance {wrong['id'][0]} is not as long as its tokens.")
