"""The figures of a page, drawn; a figure whose numbers are absent is left out."""

import dataclasses

import markupsafe

from attn_jax.report import own_drawings, paper_drawings, render
from attn_jax.report.drawing import Drawing
from attn_jax.report.material import Material

_DRAWINGS = (
    paper_drawings.tau_histograms,
    paper_drawings.three_taus,
    own_drawings.planted,
    paper_drawings.permutation,
    paper_drawings.jsd_histograms,
    paper_drawings.jsd_against_attention,
    own_drawings.jsd_curve,
    own_drawings.training,
)


@dataclasses.dataclass(frozen=True)
class Figure:
    """`svg` is markup of our own making; title and caption are text."""

    name: str
    title: str
    caption: str
    svg: markupsafe.Markup


def drawings(material: Material) -> list[Drawing]:
    """Every figure for which the run has numbers, in the order of the argument."""
    return [drawing for draw in _DRAWINGS for drawing in draw(material)]


def gallery(material: Material) -> list[Figure]:
    """The same, drawn."""
    return [
        Figure(
            d.name, d.title, d.caption, markupsafe.Markup(render.svg(d.chart, name=d.name, alt_text=d.seen))
        )
        for d in drawings(material)
    ]
