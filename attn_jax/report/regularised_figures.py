"""Tutek & Snajder's figures: rows in, a chart out. A variant keeps its colour in all of them."""

from collections.abc import Sequence

import altair as alt

from attn_jax.report import palette
from attn_jax.report.binning import Row
from attn_jax.report.canvas import WIDTH, Chart, canvas

VARIANTS = ("base", "concat", "residual", "tying", "mlm", "diversity")
_INK = "currentColor"
_DASHES = ([1, 0], [7, 3], [3, 2], [8, 2, 2, 2], [1, 3], [5, 1])
STARTS = {"dot": "from N(0, 1)", "dot_small_start": "from PyTorch's default"}
_TOKEN_WIDTH = 24


def _styled(names: Sequence[str], field: str) -> tuple[alt.Color, alt.StrokeDash]:
    """Colour and dash of the lines, so that grey print tells them apart as well."""
    places = [VARIANTS.index(name) if name in VARIANTS else i for i, name in enumerate(names)]
    colours = [palette.CLASSES[place] for place in places]
    dashes = [_DASHES[place] for place in places]
    return (
        alt.Color(field, scale=alt.Scale(domain=list(names), range=colours)),
        alt.StrokeDash(field, scale=alt.Scale(domain=list(names), range=dashes)),
    )


def imitation_curves(rows: list[Row], variants: Sequence[str]) -> Chart:
    """Figure 1: mean TVD against mean JSD, a point a strength; rows have variant, strength, jsd, tvd."""
    colour, dash = _styled(variants, "variant:N")
    return (
        canvas(rows)
        .mark_line(point=alt.OverlayMarkDef(size=30))
        .encode(
            x=alt.X("jsd:Q", title="JSD of the attentions (nats)", scale=alt.Scale(domain=[0, 0.7])),
            y=alt.Y("tvd:Q", title="TVD of the outputs"),
            order="strength:Q",
            color=colour,
            strokeDash=dash,
        )
    )


def entropy_curves(rows: list[Row], starts: Sequence[str]) -> Chart:
    """Appendix C: relative entropy over the epochs; rows have start, epoch, entropy, low, high."""
    base = canvas(rows).encode(
        x=alt.X("epoch:Q", title="epochs trained", axis=alt.Axis(tickMinStep=1, format="d")),
        color=_styled(starts, "start:N")[0],
    )
    height = alt.Y("low:Q", title="entropy (1 is uniform)", scale=alt.Scale(domain=[0, 1]))
    band = base.mark_area(opacity=0.2).encode(y=height, y2="high:Q")
    return band + base.mark_line(point=alt.OverlayMarkDef(size=28)).encode(y=alt.Y("entropy:Q"))


def token_probabilities(
    words: Sequence[str], rows: list[Row], said: list[Row], variants: Sequence[str], title: str
) -> Chart:
    """Figures 2 to 7: each token's own probability, a line a variant; dotted, what the model says.

    `rows` have place, variant, probability; `said` have variant, probability.
    """
    # Vega joins equal labels: characters without width tell two equal words apart.
    labels = [word + "\u200b" * i for i, word in enumerate(words)]
    rows = [{**row, "word": labels[row["place"]]} for row in rows]
    scale, (colour, dash) = alt.Scale(domain=[0, 1]), _styled(variants, "variant:N")
    axis = alt.Axis(labelAngle=-60, labelLimit=90, grid=False)
    lines = (
        canvas(rows)
        .mark_line(point=alt.OverlayMarkDef(size=24))
        .encode(
            # In the order of the rows. A list of words would become an expression of Vega's, which takes the
            # word "if" for more than a word; no text of a data set may stand in one.
            x=alt.X("word:N", sort=None, title=None, axis=axis),
            y=alt.Y("probability:Q", title=title, scale=scale),
            color=colour,
            strokeDash=dash,
        )
    )
    level = alt.Chart(alt.Data(values=said)).mark_rule(strokeDash=[1, 3], strokeWidth=1.5)
    middle = alt.Chart(alt.Data(values=[{"y": 0.5}])).mark_rule(color=_INK, opacity=0.3)
    chart = lines + level.encode(y="probability:Q", color=colour) + middle.encode(y="y:Q")
    return chart.properties(width=max(WIDTH, _TOKEN_WIDTH * len(words)))
