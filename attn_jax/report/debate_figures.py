"""Curves of the debate: rows in, a chart out."""

import altair as alt

from attn_jax.report import palette
from attn_jax.report.binning import Row
from attn_jax.report.canvas import Chart, canvas

_DASHES = ([1, 0], [7, 3], [3, 2], [8, 2, 2, 2], [1, 3], [5, 1])


def curves(rows: list[Row], across: str, up: str) -> Chart:
    """A line a group; rows have x, y, group, and the order in which its points are joined."""
    groups = list(dict.fromkeys(row["group"] for row in rows))
    colours, dashes = palette.CLASSES[: len(groups)], _DASHES[: len(groups)]
    return (
        canvas(rows)
        .mark_line(point=alt.OverlayMarkDef(size=30))
        .encode(
            x=alt.X("x:Q", title=across),
            y=alt.Y("y:Q", title=up, scale=alt.Scale(domainMin=0)),
            order="order:Q",
            color=alt.Color("group:N", scale=alt.Scale(domain=groups, range=list(colours))),
            strokeDash=alt.StrokeDash("group:N", scale=alt.Scale(domain=groups, range=list(dashes))),
        )
    )
