"""Vashishth et al.'s Figures 1 to 3: rows in, a chart out."""

from collections.abc import Sequence

import altair as alt
import numpy as np
import polars as pl

from attn_jax.report import binning, palette
from attn_jax.report.binning import Row
from attn_jax.report.canvas import Chart, canvas, group_colour

OWN, UNIFORM = "own attention", "trained with uniform attention"
POINTS = 1500  # of a scatter plot
_BAR = 34  # pixels a run
_GRID = np.linspace(0, 1, 61)
_FILL = 0.85  # of a bin's height that its violins may take
Groups = dict[str, pl.DataFrame]


def with_and_without(rows: list[Row], names: Sequence[str]) -> Chart:
    """Figure 1: scores with and without attention; rows have run, group, score, low, high, printed.

    A tick marks the published score, where there is one.
    """
    groups = [OWN, UNIFORM]
    colour = alt.Color(
        "group:N", scale=alt.Scale(domain=groups, range=[palette.ATTENTION, palette.NULL]), title=None
    )
    base = canvas(rows, _BAR * len(names)).encode(
        y=alt.Y("run:N", sort=list(names), title=None, axis=alt.Axis(minExtent=130)),
        yOffset=alt.YOffset("group:N", scale=alt.Scale(domain=groups)),
    )
    axis = alt.X("score:Q", title="accuracy or BLEU, percent", scale=alt.Scale(domain=[0, 100]))
    bars = base.mark_bar(opacity=0.75).encode(x=axis, color=colour)
    whiskers = base.mark_rule().encode(x=alt.X("low:Q"), x2="high:Q")
    printed = base.mark_tick(thickness=2.5, size=12, color="currentColor").encode(x=alt.X("printed:Q"))
    return bars + whiskers + printed


def permutation_violins(groups: Groups) -> Chart:
    """Figure 2: median change of the output under permutations, in four bins of max attention."""
    return violins(groups, "permutation_median_tvd", "median change of the output (TVD)")


def violins(groups: Groups, value: str, title: str) -> Chart:
    """Densities of `value`, a number from 0 to 1, in four bins of max attention, side by side for groups."""
    rows, middles = [], []
    height = _FILL / len(groups)
    for place, (name, part) in enumerate(groups.items()):
        offset = height * (place - (len(groups) - 1) / 2)
        for quarter in range(4):
            values = _in_quarter(part, quarter, value)
            centre = quarter - offset
            tags = {"group": name, "violin": f"{quarter}-{place}"}
            rows += _violin(values, centre, height / 2, tags)
            if len(values):
                middles.append({"x": float(values.median()), "y": centre, "half": height / 3} | tags)  # pyright: ignore
    labels = " : ".join(f"datum.value == {i} ? '{name}'" for i, name in enumerate(binning.QUARTERS))
    axis = alt.Axis(values=[0, 1, 2, 3], labelExpr=f"{labels} : ''", grid=False, titlePadding=24)
    scale = alt.Scale(domain=[-0.5, 3.5], nice=False)
    base = canvas(rows).encode(color=group_colour(list(groups)))
    across = alt.X("x:Q", title=title, scale=alt.Scale(domain=[0, 1]))
    bodies = base.mark_area(opacity=0.55).encode(
        x=across,
        y=alt.Y("low:Q", title="max attention", axis=axis, scale=scale),
        y2="high:Q",
        detail="violin:N",
    )
    ticks = [{**row, "low": row["y"] - row["half"], "high": row["y"] + row["half"]} for row in middles]
    marks = alt.Chart(alt.Data(values=ticks)).mark_rule(strokeWidth=2.5)
    return bodies + marks.encode(
        x=alt.X("x:Q"), y=alt.Y("low:Q"), y2="high:Q", color=group_colour(list(groups))
    )


def removal_scatter(groups: Groups) -> Chart:
    """Figure 3: what zeroing the highest weight does beyond a random one, against how much higher it was."""
    rows = []
    for name, part in groups.items():
        known = part.select("removed_delta_alpha", "removed_delta_js").drop_nulls()
        shown = binning.thinned(known, POINTS // len(groups))
        rows += [{"x": round(x, 4), "y": round(y, 4), "group": name} for x, y in shown.iter_rows()]
    return (
        canvas(rows)
        .mark_circle(size=16, opacity=0.4)
        .encode(
            x=alt.X("x:Q", title="difference of the zeroed weights", scale=alt.Scale(domain=[0, 1])),
            y=alt.Y("y:Q", title="ΔJS of the output (nats)", scale=alt.Scale(domain=[-0.7, 0.7])),
            color=group_colour(list(groups)),
        )
    )


def _in_quarter(frame: pl.DataFrame, quarter: int, value: str) -> pl.Series:
    place = (pl.col("max_attention") * 4).floor().clip(0, 3)
    return frame.filter(place == quarter)[value].drop_nulls()


def _violin(values: pl.Series, centre: float, half: float, tags: Row) -> list[Row]:
    """A density mirrored around `centre`, at most `half` high on each side."""
    curve = binning.density(values, _GRID)
    if not curve:
        return []
    scale = half / max(row["density"] for row in curve)
    return [
        {"x": row["x"], "low": centre - scale * row["density"], "high": centre + scale * row["density"]}
        | tags
        for row in curve
    ]
