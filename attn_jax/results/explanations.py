"""What is known of single published cells: why one is not reproduced, or cannot be compared.

`explanations.csv` holds a key a row, then the verdict that the sentence speaks to: `not reproduced`
(a tested explanation, shown where our figure is off) or `not comparable` (the cell is judged by
nobody, because the printed figure itself is known not to follow from the published data). `figures` says
of which records the sentence's own numbers are; a test holds them to those in docs/reproduction.
"""

import csv
import importlib.resources

from attn_jax.results import published

Key = tuple[str, ...]


def load() -> dict[tuple[Key, str], str]:
    """(key of a published cell, verdict) -> sentence."""
    source = importlib.resources.files("attn_jax.results") / "explanations.csv"
    rows = csv.DictReader(source.read_text(encoding="utf-8").splitlines(), strict=True)
    return {(tuple(row[name] for name in published.KEY), row["verdict"]): row["sentence"] for row in rows}
