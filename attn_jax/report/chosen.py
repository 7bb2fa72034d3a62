"""Which few instances a page shows: by stated rules, never by hand."""

import polars as pl

_READABLE = 60  # tokens; longer ones are shown only where there is nothing shorter
_RULES = (
    ("A typical instance", "exact_jsd", 0.5),
    ("Most peaked attention", "max_attention", 1.0),
    ("Attention easiest to replace", "exact_jsd", 1.0),
    ("Attention hardest to replace", "exact_jsd", 0.0),
    ("Least agreement with the gradient", "tau_gradient", 0.0),
)


def chosen(frame: pl.DataFrame) -> list[tuple[str, dict]]:
    """(why it was chosen, its row): instances of the first seed, each at most once."""
    frame = frame.filter(pl.col("seed") == pl.col("seed").min())
    short = frame.filter(pl.col("tokens").list.len() <= _READABLE)
    left = frame if short.is_empty() else short
    picked = []
    for why, column, rank in _RULES:
        row = _at(left, column, rank)
        if row is not None:
            picked.append((why, row))
            left = left.filter(pl.col("id") != row["id"])
    wrong = left.filter(pl.col("gold") != pl.col("prediction"))
    return picked if wrong.is_empty() else [*picked, ("A wrong decision", wrong.row(0, named=True))]


def _at(frame: pl.DataFrame, column: str, rank: float) -> dict | None:
    """The row at this rank (0: smallest, 1: largest) of a column; None where it has no values."""
    if column not in frame.columns:
        return None
    ordered = frame.filter(pl.col(column).is_not_null()).sort(column, "id")
    if ordered.is_empty():
        return None
    return ordered.row(round(rank * (ordered.height - 1)), named=True)
