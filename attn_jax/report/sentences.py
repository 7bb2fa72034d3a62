"""Which few sentences show what a regulariser does, and the numbers of their plots.

By stated rules, never by hand: the paper's Figures 2 to 7 show chosen ones.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import scipy.special

_READABLE = range(6, 33)  # tokens, SOS and EOS included
_BASE, _OTHERS = "base", ("tying", "mlm", "diversity", "residual", "concat")


class Sentence(NamedTuple):
    """One instance under several variants: `rows` are theirs, in the order of the frames."""

    why: str
    rows: dict[str, dict[str, Any]]


def chosen(frames: Mapping[str, pl.DataFrame]) -> list[Sentence]:
    """Instances of the first seed, each at most once; none without the base and another variant."""
    other = next((name for name in _OTHERS if name in frames), None)
    if _BASE not in frames or other is None:
        return []
    first = {name: frame.filter(pl.col("seed") == pl.col("seed").min()) for name, frame in frames.items()}
    left = _compared(first[_BASE], first[other])
    picked = []
    for why, column, rank in (
        (f"Where {other} lowers the probability of a token most", "lowered", 1.0),
        (f"Where {other} raises it most", "lowered", 0.0),
        ("Where the base is least sure", "confidence", 0.0),
        ("A typical instance", "lowered", 0.5),
    ):
        part = left.sort(column, "id")
        if part.height:
            name = part["id"][round(rank * (part.height - 1))]
            picked.append((why, name))
            left = left.filter(pl.col("id") != name)
    wrong = left.filter(~pl.col("right"))
    picked += [("A wrong decision of the base", wrong["id"][0])] if wrong.height else []
    return [Sentence(why, _rows(first, name)) for why, name in picked]


def _compared(base: pl.DataFrame, other: pl.DataFrame) -> pl.DataFrame:
    """The instances short enough to draw: how far the other's per-token probability lies below the base's."""
    readable = pl.col("tokens").list.len().is_between(_READABLE.start, _READABLE.stop - 1)
    confidence = pl.col("probabilities").list.max()
    columns = base.filter(readable).select(
        "id", "token_probability", confidence=confidence, right=pl.col("gold") == pl.col("prediction")
    )
    joined = columns.join(other.select("id", other="token_probability"), on="id")
    return joined.with_columns(lowered=pl.col("token_probability") - pl.col("other"))


def _rows(frames: Mapping[str, pl.DataFrame], name: str) -> dict[str, dict[str, Any]]:
    found = {variant: frame.filter(pl.col("id") == name) for variant, frame in frames.items()}
    return {variant: frame.row(0, named=True) for variant, frame in found.items() if frame.height}


def token_values(row: Mapping[str, Any], label: int) -> list[float]:
    """The probability of `label` with all attention on each attendable token (eq. 9)."""
    logits = np.asarray(row["token_logits"], float)[np.asarray(row["mask"])]
    if logits.shape[1] == 1:
        logits = np.concatenate([np.zeros_like(logits), logits], axis=1)
    return scipy.special.softmax(logits, axis=1)[:, label].tolist()


def words(row: Mapping[str, Any]) -> Sequence[str]:
    """The attendable tokens."""
    return [token for token, real in zip(row["tokens"], row["mask"], strict=True) if real]
