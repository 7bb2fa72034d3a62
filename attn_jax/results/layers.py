"""Scores with the first k layers of self-attention permuted (Vashishth et al. 2019, Figure 4).

The figure prints no numbers, so all of these are our own, under `table = figure4`.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import polars as pl

from attn_jax.results import measure
from attn_jax.results.records import Record
from attn_jax.results.tutek_snajder import scaled
from attn_jax.results.vashishth import Cell, Keyed, accuracy_change, altered

FIGURE = "figure4"
_VARIANT = re.compile(r"permute_(encoder|decoder|across)_(\d+)")


def key(metric: str) -> dict[str, Any]:
    """What all of these records are kept under."""
    return {"table": FIGURE, "metric": metric}


def among(variants: Iterable[str]) -> bool:
    """Whether one of them is of layers."""
    return any(_VARIANT.fullmatch(variant) for variant in variants)


def place(record: Record) -> tuple[str, int] | None:
    """(stack, number of permuted layers) of a record of this figure; ("", 0) is the natural model."""
    if record.table != FIGURE:
        return None
    if not record.variant:
        return "", 0
    found = _VARIANT.fullmatch(record.variant)
    return (found[1], int(found[2])) if found else None


def records_of(frame: pl.DataFrame, cell: Cell) -> list[Record]:
    """Accuracy in percent, natural and with each number of layers permuted, and what that changes."""

    def statistics() -> Iterator[Keyed]:
        natural = measure.mean(frame, pl.col("gold") == pl.col("prediction"))
        assert natural is not None
        yield key("accuracy"), scaled(natural, 100.0)
        for variant in altered(frame):
            own = {"variant": variant}
            right = measure.mean(frame, pl.col("gold") == pl.col(f"prediction_{variant}"))
            assert right is not None
            yield key("accuracy") | own, scaled(right, 100.0)
            yield key("accuracy_change") | own, accuracy_change(frame, variant)
            moved = measure.mean(frame, pl.col(f"tvd_{variant}"))
            assert moved is not None
            yield key("tvd_mean") | own, moved

    return cell.records(statistics())
