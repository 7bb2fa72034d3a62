"""The figures of a run as data: the page draws them when they come into view."""

import pathlib
from collections.abc import Sequence
from typing import Any, Literal

import vl_convert
from altair.utils.schemapi import debug_mode

from attn_jax.report import gallery, render
from attn_jax.report.drawing import Drawing
from attn_jax.report.material import Material
from attn_jax.report.site import scripted
from attn_jax.results import atomic

Format = Literal["pdf", "svg", "png"]
_INK = "#1e2227"


def write(site: pathlib.Path, slug: str, material: Material) -> list[tuple[str, str]]:
    """`data/figures-SLUG.js`; (name, title) of each figure."""
    # The tests check each kind of chart against the schema; to check all their points was most of a build.
    with debug_mode(False):
        made = gallery.drawings(material)
        scripted.write(site, f"figures-{slug}", [_entry(drawing) for drawing in made])
    return [(drawing.name, drawing.title) for drawing in made]


def _entry(drawing: Drawing) -> dict[str, Any]:
    return {
        "name": drawing.name,
        "title": drawing.title,
        "caption": drawing.caption,
        "seen": drawing.seen,
        "spec": drawing.chart.to_dict(validate=False),
    }


def save(folder: pathlib.Path, slug: str, material: Material, form: Format) -> list[pathlib.Path]:
    """Each figure as a file for a paper, black ink on white: `SLUG-NAME.pdf`."""
    paths = []
    for drawing in gallery.drawings(material):
        path = folder / f"{slug}-{drawing.name}.{form}"
        atomic.write_bytes(path, drawn(drawing, form))
        paths.append(path)
    return paths


def drawn(drawing: Drawing, form: Format) -> bytes:
    """One figure as the bytes of a file."""
    spec = drawing.chart.to_dict() | {"config": printed(render.THEME)}
    if form == "pdf":
        return vl_convert.vegalite_to_pdf(spec, allowed_base_urls=[])
    if form == "png":
        return vl_convert.vegalite_to_png(spec, scale=3, allowed_base_urls=[])
    return vl_convert.vegalite_to_svg(spec, allowed_base_urls=[]).encode("utf-8")


def printed(theme: Any) -> Any:
    """The theme of the pages in ink on white."""
    if isinstance(theme, dict):
        made = {name: printed(value) for name, value in theme.items()}
        return made | {"background": "white"} if "background" in theme else made
    return _INK if theme == render.INK else theme


def names(found: Sequence[Sequence[tuple[str, str]]]) -> list[tuple[str, str]]:
    """(name, title) of every figure that some run has, each once, in order."""
    return list(dict.fromkeys(figure for figures in found for figure in figures))
