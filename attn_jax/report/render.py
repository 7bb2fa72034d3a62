"""A chart as an SVG string that stands in the page: no script, no font to fetch, ink in the page's colour."""

import re

import altair as alt
import markupsafe
import vl_convert

INK = "currentColor"  # so that axes follow the page from light to dark
THEME = {
    "aria": False,  # the figure has one alt text; a label a bar would drown it
    "background": None,
    "font": "system-ui, sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": INK,
        "titleColor": INK,
        "domainColor": INK,
        "tickColor": INK,
        "gridColor": INK,
        "gridOpacity": 0.1,
        "domainOpacity": 0.4,
        "tickOpacity": 0.4,
        "labelFontSize": 11,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titlePadding": 8,
    },
    "legend": {"labelColor": INK, "labelFontSize": 12, "title": None, "orient": "top", "offset": 8},
    "header": {"labelColor": INK, "labelFontSize": 12, "title": None},
}


def svg(chart: alt.TopLevelMixin, *, name: str, alt_text: str) -> str:
    """The chart as inline SVG; `name` is unique in the page and prefixes the chart's ids.

    Vega escapes the text of axes and legends, the alt text is escaped here.
    """
    spec = chart.to_dict() | {"config": THEME}
    drawn = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
    drawn = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", drawn)
    return drawn.replace("<svg ", f'<svg role="img" aria-label="{markupsafe.escape(alt_text)}" ', 1)
