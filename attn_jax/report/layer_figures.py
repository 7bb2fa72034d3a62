"""Vashishth et al.'s Figure 4: the score with more and more layers of self-attention permuted."""

from collections.abc import Iterator, Sequence

import altair as alt

from attn_jax.report.binning import Row
from attn_jax.report.canvas import Chart, canvas, group_colour
from attn_jax.report.drawing import Drawing
from attn_jax.report.regularised_page import identifier
from attn_jax.results import layers
from attn_jax.results.facts import bounds
from attn_jax.results.records import Record

_UNITS = {"accuracy": "accuracy, percent", "bleu": "BLEU"}


def drawings(made: Sequence[Record]) -> Iterator[Drawing]:
    """One figure for each run that permuted layers."""
    runs = dict.fromkeys(record.run for record in made if layers.place(record))
    for run in runs:
        mine = [r for r in made if r.run == run and layers.place(r) and r.metric in _UNITS]
        base, rows = _points(mine)
        if base is None or not rows:
            continue
        stacks = list(dict.fromkeys(row["group"] for row in rows))
        listed = "; ".join(f"{r['group']} {r['layers']}: {r['score']:.1f}" for r in rows)
        yield Drawing(
            name=identifier("layers", run),
            title=f"Layers permuted: {run}",
            caption="The score with the attention of the first layers permuted, one more from left to right; "
            "dashed: nothing permuted; bars: 95 % interval. "
            f"n\u00a0=\u00a0{base.n or 0:,}, seeds: {base.seeds}. As Figure 4 of Vashishth et al. (2019), "
            "which prints no numbers.",
            seen=f"Lines from {base.value:.1f}; {listed}",
            chart=permuted_layers(rows, base.value, stacks, _UNITS[base.metric]),
        )


def permuted_layers(rows: list[Row], base: float, stacks: Sequence[str], unit: str) -> Chart:
    """Rows have group (the stack), layers (how many are permuted), score, low and high."""
    count = max(row["layers"] for row in rows)
    across = alt.X(
        "layers:Q",
        title="layers permuted, from the first",
        axis=alt.Axis(values=list(range(count + 1)), format="d"),
        scale=alt.Scale(domain=[0, count]),
    )
    start: list[Row] = [{"group": s, "layers": 0, "score": base, "low": base, "high": base} for s in stacks]
    chart = canvas(start + rows).encode(x=across, color=group_colour(list(stacks)))
    score = alt.Y("score:Q", title=unit, scale=alt.Scale(zero=True))
    level = alt.Chart(alt.Data(values=[{"score": base}])).mark_rule(strokeDash=[4, 3], opacity=0.7)
    return (
        level.encode(y=score)
        + chart.mark_rule().encode(y=alt.Y("low:Q"), y2="high:Q")
        + chart.mark_line(point=True, strokeWidth=2).encode(y=score)
    )


def _points(mine: Sequence[Record]) -> tuple[Record | None, list[Row]]:
    """The natural model's record, and a point for each number of permuted layers."""
    base, rows = None, []
    for record in mine:
        stack, count = layers.place(record) or ("", 0)
        if not count:
            base = record
            continue
        low, high = bounds(record)
        rows.append({"group": stack, "layers": count, "score": record.value, "low": low, "high": high})
    return base, sorted(rows, key=lambda row: (row["group"], row["layers"]))
