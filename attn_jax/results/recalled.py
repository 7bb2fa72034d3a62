"""Figures that papers are recalled to print: unverified, shown as such, never a published cell.

`recalled.csv` holds our own name of the statistic a row. No interval, no tolerance, no fidelity.
"""

import csv
import functools
import importlib.resources

from attn_jax.results.records import Record

_KEY = ("dataset", "variant", "metric")


def beside(record: Record) -> str:
    """What stands beside this record: "0.81 (Wiegreffe & Pinter 2019, recalled)"; "" where nothing does."""
    return _load().get(tuple(getattr(record, name) for name in _KEY), "")


@functools.cache
def _load() -> dict[tuple[str, ...], str]:
    source = importlib.resources.files("attn_jax.results") / "recalled.csv"
    rows = csv.DictReader(source.read_text(encoding="utf-8").splitlines(), strict=True)
    return {tuple(row[name] for name in _KEY): f"{row['value']} ({row['paper']}, recalled)" for row in rows}
