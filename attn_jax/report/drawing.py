"""A chart with the words around it."""

import dataclasses

import markupsafe

from attn_jax.report import render
from attn_jax.report.canvas import Chart
from attn_jax.report.material import Material
from attn_jax.results.facts import number

JW = "Jain & Wallace (2019)"


@dataclasses.dataclass(frozen=True)
class Drawing:
    """`name` is unique in a page; `seen` says what a sighted reader sees."""

    name: str
    title: str
    caption: str
    seen: str
    chart: Chart

    def _repr_html_(self) -> str:
        """What a notebook shows: the drawing itself, no script."""
        drawn = render.svg(self.chart, name=self.name, alt_text=self.seen)
        title, caption = markupsafe.escape(self.title), markupsafe.escape(self.caption)
        return f"<figure><b>{title}</b><br>{drawn}<figcaption>{caption}</figcaption></figure>"


def reservation(material: Material) -> str:
    """What "exact" means above two classes, where the certificate is a bracket; empty for two."""
    upper = material.facts.get("exact_upper_bound_mean")
    if upper is None or len(material.labels) <= 2:
        return ""
    return (
        " With more than two classes, exact stands for the farthest attention attained, a lower bound; "
        f"the optimum is certainly no more than {number(upper)} on average."
    )


def count(material: Material, *columns: str) -> str:
    """How many instances a figure stands on: n = 1,200 over 3 seeds."""
    seeds = material.frame["seed"].n_unique()
    known = material.frame.select(columns).drop_nulls().height
    return f"n\u00a0=\u00a0{known:,}" + (f" over {seeds} seeds" if seeds > 1 else "")
