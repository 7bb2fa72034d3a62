"""The figures that the papers lack: the curve over eps, the planted tokens, the training."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from attn_jax.report import palette
from attn_jax.report.canvas import Chart, adversary_colour, canvas
from attn_jax.results.records import Record

_INK = "currentColor"


def jsd_curve(points: Sequence[tuple[str, float, Record]]) -> Chart:
    """Mean eps-max JSD against eps, with its interval: a point is (group, eps, record)."""
    rows = [
        {"group": group, "epsilon": epsilon, "jsd": r.value, "low": r.ci_low, "high": r.ci_high}
        for group, epsilon, r in points
    ]
    shown = list(dict.fromkeys(row["group"] for row in rows))
    axis = alt.Axis(values=sorted({row["epsilon"] for row in rows}), format="~g", labelOverlap=True)
    scale = alt.Scale(type="log", nice=False)
    base = canvas(rows).encode(
        x=alt.X("epsilon:Q", title="allowed change of the output, ε", scale=scale, axis=axis),
        color=adversary_colour(legend=alt.Legend(values=shown, symbolOpacity=1)),
    )
    height = alt.Y("low:Q", title="mean ε-max JSD (nats)", scale=alt.Scale(domain=[0, 0.7]))
    band = base.mark_area(opacity=0.2).encode(y=height, y2="high:Q")
    line = base.mark_line(point=alt.OverlayMarkDef(size=28)).encode(y=alt.Y("jsd:Q"))
    return band + line


def auprc_bars(bars: Sequence[tuple[str, Record]], base_rate: float) -> Chart:
    """How well each ranking finds the planted tokens: a bar is (name, record); a rule marks chance."""
    names = [name for name, _ in bars]
    rows = [{"group": name, "value": r.value, "low": r.ci_low, "high": r.ci_high} for name, r in bars]
    base = canvas(rows, height=44 * len(names)).encode(y=alt.Y("group:N", title=None, sort=names))
    colours = [palette.ATTENTION, palette.GRADIENT, palette.LOO][: len(names)]
    bar = base.mark_bar(size=20, opacity=0.75).encode(
        x=alt.X("value:Q", title="area under the precision-recall curve", scale=alt.Scale(domain=[0, 1])),
        color=alt.Color("group:N", scale=alt.Scale(domain=names, range=colours), legend=None),
    )
    spread = base.mark_rule(strokeWidth=2, color=_INK).encode(x="low:Q", x2="high:Q")
    chance = alt.Chart(alt.Data(values=[{"x": base_rate}])).mark_rule(strokeDash=[4, 3], color=_INK)
    return bar + spread + chance.encode(x="x:Q")


def training_curve(metrics: Sequence[dict[str, Any]], column: str, title: str) -> Chart:
    """A line a seed over the epochs."""
    rows = [
        {"epoch": row["epoch"], "value": row[column], "seed": str(row.get("seed", ""))}
        for row in metrics
        if column in row and "epoch" in row
    ]
    return (
        canvas(rows, height=150)
        .mark_line(point={"size": 20, "color": palette.ATTENTION}, opacity=0.8, color=palette.ATTENTION)
        .encode(
            x=alt.X("epoch:Q", title="epoch", axis=alt.Axis(tickMinStep=1, format="d")),
            y=alt.Y("value:Q", title=title, scale=alt.Scale(zero=False)),
            detail="seed:N",
        )
    )
