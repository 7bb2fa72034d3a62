"""One statistic over all runs, beside what the papers print: the data and the chart of the Compare page."""

import pathlib
from collections.abc import Sequence
from typing import Any

import altair as alt

from attn_jax.report import palette
from attn_jax.report.metric_names import describe
from attn_jax.report.paper_names import name as paper_name
from attn_jax.report.site import scripted
from attn_jax.report.site.run import Run
from attn_jax.results import published
from attn_jax.results.aliases import answers
from attn_jax.results.records import OURS, Record

Metric = tuple[str, str]  # paper, metric
# What most people look for first stands first in the list.
_FIRST = ("accuracy", "f1", "tau_gradient_mean", "tau_loo_mean", "exact_jsd_mean", "null_jsd_mean")


def write(site: pathlib.Path, runs: Sequence[Run]) -> list[dict[str, Any]]:
    """A file a statistic, `data/metric-N.js`; what the page lists: name, whose it is, file."""
    printed = {row[:-2]: row[-2] for row in published.load().iter_rows()}
    found: dict[Metric, list[dict[str, Any]]] = {}
    for place, run in enumerate(runs):
        for record in run.records:
            found.setdefault((record.paper, record.metric), []).append(_row(place, record, printed))
    listed = []
    for number, metric in enumerate(sorted(found, key=lambda metric: _order(metric, len(found[metric])))):
        scripted.write(site, f"metric-{number}", found[metric])
        paper = "ours" if metric[0] == OURS else paper_name(metric[0])
        listed.append({"name": describe(metric[1]), "paper": paper, "file": f"metric-{number}"})
    return listed


def _order(metric: Metric, figures: int) -> tuple:
    paper, name = metric
    place = _FIRST.index(name) if name in _FIRST else len(_FIRST)
    return place, -figures if name in _FIRST else 0, paper == OURS, paper, describe(name)


def _row(run: int, record: Record, printed: dict) -> dict[str, Any]:
    """One record; `published` is what the paper prints of this very cell, under its own key or an alias."""
    theirs = next((printed[a.key()] for a in answers(record) if a.key() in printed), None)
    return {
        "run": run,
        "label": record.label,
        "value": record.value,
        "low": record.ci_low,
        "high": record.ci_high,
        "n": record.n,
        "seeds": record.seeds,
        "published": theirs,
        "caveat": record.caveat,
    }


def chart() -> dict[str, Any]:
    """Ours with its interval and the published figure, a row a run; the page puts the rows in.

    The page leaves out the layer `published` where nothing of it is printed.
    """
    base = alt.Chart(alt.NamedData("rows")).encode(
        y=alt.Y("name:N", sort=None, title=None, axis=alt.Axis(labelLimit=240, domain=False, ticks=False)),
    )
    across = alt.X("value:Q", title=None, scale=alt.Scale(zero=False, padding=12))
    tip = [
        alt.Tooltip("name:N", title="run"),
        alt.Tooltip("value:Q", title="ours", format=".3f"),
        alt.Tooltip("interval:N", title="95 % interval"),
        alt.Tooltip("published:Q", title="published", format=".3f"),
        alt.Tooltip("n:Q", title="n", format=","),
    ]
    names, colours = ["ours, 95 % interval", "published"], [palette.ATTENTION, palette.CLASSES[0]]
    kind = {
        "color": alt.Color("kind:N", scale=alt.Scale(domain=names, range=colours)),
        "shape": alt.Shape("kind:N", scale=alt.Scale(domain=names, range=["circle", "diamond"])),
        "tooltip": tip,
    }
    spread = base.mark_rule(strokeWidth=2, color=palette.ATTENTION).encode(x=alt.X("low:Q"), x2="high:Q")
    ours = (
        base.transform_calculate(kind=f"'{names[0]}'")
        .mark_point(size=60, filled=True, opacity=1)
        .encode(x=across, **kind)
    )
    theirs = (
        base.transform_filter("isValid(datum.published)")
        .transform_calculate(kind=f"'{names[1]}'")
        .mark_point(size=90, strokeWidth=2, opacity=1)
        .encode(x=alt.X("published:Q"), **kind)
        .properties(name="published")
    )
    return (spread + theirs + ours).properties(width=420, height=alt.Step(26)).to_dict()
