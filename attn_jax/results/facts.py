"""Our own statistics of one run by name, and how a number with its interval is written in a sentence."""

from collections.abc import Iterable

from attn_jax.results.records import OURS, Record

_GLUE = "\u00a0"  # a space at which no line breaks
INTERVALS = f"Brackets hold 95{_GLUE}% bootstrap intervals."


class Facts:
    """Looks up statistics over all classes by metric."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._records = {r.metric: r for r in records if r.paper == OURS and not r.label}

    def get(self, metric: str) -> Record | None:
        """The record, None if this statistic was not computed."""
        return self._records.get(metric)

    def has(self, *metrics: str) -> bool:
        """Whether all of these were computed."""
        return all(metric in self._records for metric in metrics)

    def __getitem__(self, metric: str) -> Record:
        return self._records[metric]


def bounds(record: Record) -> tuple[float, float]:
    """The interval, or the value twice where there is none."""
    low = record.value if record.ci_low is None else record.ci_low
    high = record.value if record.ci_high is None else record.ci_high
    return low, high


def decimal(value: float, digits: int = 2) -> str:
    """0.41, never -0.00."""
    return f"{round(value, digits) + 0.0:.{digits}f}"


def number(record: Record) -> str:
    """0.41."""
    return decimal(record.value)


def interval(record: Record) -> str:
    """0.41 [0.38, 0.44]."""
    low, high = bounds(record)
    return f"{number(record)} [{decimal(low)},{_GLUE}{decimal(high)}]"


def percent(record: Record) -> str:
    """42 %; nearly all or nearly none never reads as all or none."""
    value = 100 * record.value
    if round(value) in (0, 100) and value != round(value):
        return f"over{_GLUE}99{_GLUE}%" if value > 50 else f"under{_GLUE}1{_GLUE}%"
    return f"{value:.0f}{_GLUE}%"


def percent_interval(record: Record) -> str:
    """42 % [39, 45], or 100 % where every resample says so."""
    low, high = bounds(record)
    if low == high:
        return percent(record)
    return f"{percent(record)} [{100 * low:.0f},{_GLUE}{100 * high:.0f}]"
