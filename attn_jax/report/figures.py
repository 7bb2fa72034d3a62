"""Jain & Wallace's figures, under their numbers in the paper: groups of rows in, a chart out.

`groups` are the rows of each predicted class by name, as `canvas.grouped` gives them.
"""

import altair as alt
import numpy as np
import polars as pl

from attn_jax.report import binning, palette
from attn_jax.report.canvas import ADVERSARIES, WIDTH, Chart, adversary_colour, canvas, group_colour

Groups = dict[str, pl.DataFrame]

POINTS = 800  # of a scatter plot
TAUS = {
    "tau_gradient": "attention and gradient",
    "tau_loo": "attention and deletion",
    "tau_gradient_loo": "gradient and deletion",
    "tau_gradient_shuffled": "shuffled attention, gradient",
}


def tau_histogram(groups: Groups, column: str) -> Chart:
    """Figure 2: Kendall's tau by predicted class, 30 bins on [-1, 1] as in the paper."""
    edges = np.linspace(-1, 1, 31)
    rows = [row for name, part in groups.items() for row in binning.shares(part[column], edges, group=name)]
    return (
        canvas(rows)
        .mark_bar(opacity=0.6)
        .encode(
            x=alt.X("start:Q", title="Kendall's τ", scale=alt.Scale(domain=[-1, 1]), bin="binned"),
            x2="end:Q",
            y=alt.Y(
                "share:Q", title="share of instances", stack=None, axis=alt.Axis(format="%", tickCount=5)
            ),
            color=group_colour(list(groups)),
        )
    )


def three_taus(frame: pl.DataFrame) -> Chart:
    """The three agreements and their null: densities of tau, as in the paper's online figures."""
    grid = np.linspace(-1, 1, 101)
    known = {column: name for column, name in TAUS.items() if column in frame.columns}
    rows = [row for c, name in known.items() for row in binning.density(frame[c], grid, group=name)]
    domain, colours = list(TAUS.values()), [palette.GRADIENT, palette.LOO, palette.ATTENTION, palette.NULL]
    dashes = [[1, 0], [7, 3], [3, 2], [1, 3]]
    return (
        canvas(rows)
        .mark_line(strokeWidth=2)
        .encode(
            x=alt.X("x:Q", title="Kendall's τ", scale=alt.Scale(domain=[-1, 1])),
            y=alt.Y("density:Q", title="density", axis=alt.Axis(tickCount=4)),
            color=alt.Color(
                "group:N",
                scale=alt.Scale(domain=domain, range=colours),
                legend=alt.Legend(columns=2, columnPadding=24, labelLimit=220),
            ),
            strokeDash=alt.StrokeDash("group:N", scale=alt.Scale(domain=domain, range=dashes)),
        )
    )


def permutation_boxes(groups: Groups) -> Chart:
    """Figure 3: how far shuffling moves the output, in four bins of max attention, by predicted class."""
    value = "permutation_median_tvd"
    rows = [row for name, part in groups.items() for row in binning.quarter_boxes(part, value, group=name)]
    base = canvas(rows).encode(
        y=alt.Y("bin:N", title="max attention", scale=alt.Scale(domain=binning.QUARTERS[::-1])),
        yOffset=alt.YOffset("group:N", scale=alt.Scale(domain=list(groups))),
        color=group_colour(list(groups)),
    )
    across = alt.X("low:Q", title="median change of the output (TVD)", scale=alt.Scale(domain=[0, 1]))
    whisker = base.mark_rule().encode(x=across, x2="high:Q")
    box = base.mark_bar(size=11, opacity=0.55).encode(x=alt.X("q1:Q"), x2="q3:Q")
    middle = base.mark_tick(thickness=2.5, size=15).encode(x=alt.X("median:Q"))
    return whisker + box + middle


def jsd_histograms(frame: pl.DataFrame) -> Chart:
    """Figure 4: eps-max JSD searched, exact and under the null, 40 bins on [0, 0.7] as in the paper."""
    edges = np.linspace(0, 0.7, 41)
    known = {column: name for column, name in ADVERSARIES.items() if column in frame.columns}
    rows = [row for c, name in known.items() for row in binning.shares(frame[c], edges, group=name)]
    bars = (
        alt.Chart()
        .properties(width=WIDTH, height=60)
        .mark_bar()
        .encode(
            x=alt.X("start:Q", title="ε-max JSD (nats)", scale=alt.Scale(domain=[0, 0.7]), bin="binned"),
            x2="end:Q",
            y=alt.Y("share:Q", title=None, axis=alt.Axis(format="%", tickCount=3)),
            color=adversary_colour(legend=None),
        )
    )
    header = alt.Header(labelOrient="top", labelAnchor="start", labelPadding=2)
    row = alt.Row("group:N", sort=list(known.values()), header=header)
    drawn = bars.facet(row=row, data=alt.Data(values=rows), spacing=8)
    return drawn.resolve_scale(y="independent")  # one tall bar must not flatten the other rows


def jsd_against_attention(groups: Groups) -> Chart:
    """Figure 5: the exact eps-max JSD of each instance against its max attention."""
    rows = []
    for name, part in groups.items():
        shown = binning.thinned(part.select("max_attention", "exact_jsd").drop_nulls(), POINTS // len(groups))
        rows += [{"x": round(x, 4), "y": round(y, 4), "group": name} for x, y in shown.iter_rows()]
    return (
        canvas(rows)
        .mark_circle(size=22, opacity=0.45)
        .encode(
            x=alt.X("x:Q", title="max attention", scale=alt.Scale(domain=[0, 1])),
            y=alt.Y("y:Q", title="exact ε-max JSD (nats)", scale=alt.Scale(domain=[0, 0.7])),
            color=group_colour(list(groups)),
        )
    )
