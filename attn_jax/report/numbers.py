"""How figures are written in tables: on paper, on the page and in the terminal alike."""

from attn_jax.results.estimate import Estimate
from attn_jax.results.facts import decimal
from attn_jax.results.records import Record

NONE = "\N{EN DASH}"


def number(value: float | None, std: float | None = None, digits: int = 2) -> str:
    """0.40, or 0.40 ± 0.21, or 16,175; a dash where there is none."""
    if value is None:
        return NONE
    if value == int(value) and abs(value) > 1:
        return f"{int(value):,}"
    spread = "" if std is None else f" ± {decimal(std, digits)}"
    return decimal(value, digits) + spread


def as_printed(value: float, digits: int) -> str:
    """With the decimals that the paper prints; whole numbers that it prints whole stay whole."""
    if digits:
        return decimal(value, digits)
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


def signed(difference: float, digits: int = 2) -> str:
    """+0.05 or -0.05."""
    text = decimal(difference, digits)
    return text if text.startswith("-") else f"+{text}"


def interval(record: Record, digits: int = 3) -> str:
    """0.300 to 0.400, over seeds."""
    if record.ci_low is None or record.ci_high is None:
        return NONE
    over = f", over {record.std_over}" if record.std_over else ""
    return f"{decimal(record.ci_low, digits)} to {decimal(record.ci_high, digits)}{over}"


def count(value: int | None) -> str:
    """1,200; a dash where there is none."""
    return NONE if value is None else f"{value:,}"


def bracketed(figure: Estimate | None, digits: int = 2) -> str:
    """0.41 [0.38, 0.44], or the figure alone where no interval is known."""
    if figure is None:
        return NONE
    if not figure.bounded:
        return decimal(figure.value, digits)
    return f"{decimal(figure.value, digits)} [{decimal(figure.low, digits)}, {decimal(figure.high, digits)}]"


def percent(share: float | None) -> str:
    """71 %."""
    return NONE if share is None else f"{100 * share:.0f}\u00a0%"
