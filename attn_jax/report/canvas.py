"""What every figure shares: its size, its data, and the colour of a group."""

from collections.abc import Sequence

import altair as alt
import polars as pl

from attn_jax.report import palette
from attn_jax.report.binning import Row

Chart = alt.Chart | alt.LayerChart | alt.FacetChart

WIDTH, HEIGHT = 380, 220
ADVERSARIES = {"search_jsd": "Adam search", "exact_jsd": "exact optimum", "null_jsd": "null (shuffled)"}
_EVERYTHING = "all instances"


def canvas(rows: list[Row], height: int = HEIGHT) -> alt.Chart:
    """An empty chart over these rows."""
    return alt.Chart(alt.Data(values=rows)).properties(width=WIDTH, height=height)


def grouped(frame: pl.DataFrame, labels: Sequence[str]) -> dict[str, pl.DataFrame]:
    """The rows of each predicted class by its name, in the order of the labels.

    With more classes than the palette has colours, as in question answering, they stay together; so do
    those without names, as the words that a translation writes.
    """
    if not labels or len(labels) > len(palette.CLASSES):
        return {_EVERYTHING: frame}
    return {name: frame.filter(pl.col("prediction") == label) for label, name in enumerate(labels)}


def group_colour(groups: Sequence[str]) -> alt.Color:
    """A fixed colour a class; no legend where there is only one group."""
    scale = alt.Scale(domain=list(groups), range=palette.class_colours(len(groups)))
    return alt.Color("group:N", scale=scale, legend=alt.Undefined if len(groups) > 1 else None)


def adversary_colour(legend: alt.Legend | None) -> alt.Color:
    """A fixed colour for search, optimum and null."""
    colours = [palette.SEARCH, palette.EXACT, palette.NULL]
    return alt.Color(
        "group:N", scale=alt.Scale(domain=list(ADVERSARIES.values()), range=colours), legend=legend
    )
