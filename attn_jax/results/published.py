"""The figures that the papers print, as one tidy table: what our own records stand beside.

`published.csv` holds one printed cell a row, on the paper's own scale (J&W fractions; T&S and
Vashishth et al. percent). An empty key field means "all" (label) or "does not apply".
"""

import importlib.resources

import polars as pl

KEY = ("paper", "table", "dataset", "encoder", "attention", "variant", "label", "metric")


def load() -> pl.DataFrame:
    """Every published cell: `KEY` as text ("" where empty), `value`, `std` (null: unprinted)."""
    source = importlib.resources.files("attn_jax.results") / "published.csv"
    text, number = dict.fromkeys(KEY, pl.String), dict.fromkeys(("value", "std"), pl.Float64)
    frame = pl.read_csv(source.read_bytes(), schema={**text, **number})
    return frame.with_columns(pl.col(KEY).fill_null(""))
