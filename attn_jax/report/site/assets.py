"""What every page loads: our style sheets and scripts, and Vega from the installed package."""

import functools
import importlib.resources
import pathlib

import vl_convert

from attn_jax.results import atomic

_ROOM = "attn_jax.report"


def write(site: pathlib.Path) -> None:
    """`assets/` of a site: nothing in it comes from the network."""
    files = importlib.resources.files(_ROOM)
    for file in (files / "assets").iterdir():
        atomic.write_bytes(site / "assets" / file.name, file.read_bytes())
    atomic.write_bytes(site / "assets" / "style.css", (files / "templates" / "style.css").read_bytes())
    atomic.write_text(site / "assets" / "vega.js", _vega())


@functools.cache
def _vega() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script whose only global is `vegaEmbed`."""
    bundle = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return f"(() => {{{bundle}}})();\n"
