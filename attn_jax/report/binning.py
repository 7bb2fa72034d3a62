"""From columns of the frame to the few numbers that a figure draws."""

from typing import Any

import numpy as np
import polars as pl
import scipy.stats
from jaxtyping import Float

Row = dict[str, Any]

QUARTERS = ("0 to 0.25", "0.25 to 0.5", "0.5 to 0.75", "0.75 to 1")
_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def shares(values: pl.Series, edges: Float[np.ndarray, "N"], **tags: Any) -> list[Row]:
    """A row a bin: where it starts and ends, and the share of the defined values in it."""
    known = values.drop_nulls().to_numpy()
    counts, _ = np.histogram(np.clip(known, edges[0], edges[-1]), bins=edges)
    rows = zip(edges[:-1], edges[1:], counts / max(len(known), 1), strict=True)
    return [{"start": float(a), "end": float(b), "share": float(share), **tags} for a, b, share in rows]


def density(values: pl.Series, grid: Float[np.ndarray, "N"], **tags: Any) -> list[Row]:
    """A Gaussian kernel density (Scott's rule) on the grid; nothing where the values do not vary."""
    known = values.drop_nulls().to_numpy()
    if len(known) < 3 or np.ptp(known) < 1e-9:
        return []
    heights = scipy.stats.gaussian_kde(known)(grid)
    return [{"x": float(x), "density": float(y), **tags} for x, y in zip(grid, heights, strict=True)]


def quarter_boxes(frame: pl.DataFrame, value: str, **tags: Any) -> list[Row]:
    """Quantiles of `value` in four bins of max attention, and how many instances each holds."""
    quarter = (pl.col("max_attention") * 4).floor().clip(0, 3).cast(pl.Int64)
    known = frame.select(quarter=quarter, value=pl.col(value)).drop_nulls()
    rows = []
    for (place,), part in known.group_by("quarter", maintain_order=True):
        low, q1, median, q3, high = (float(v) for v in np.quantile(part["value"].to_numpy(), _QUANTILES))
        box = {"low": low, "q1": q1, "median": median, "q3": q3, "high": high, "n": part.height}
        rows.append({"bin": QUARTERS[place], **box, **tags})
    return rows


def thinned(frame: pl.DataFrame, limit: int) -> pl.DataFrame:
    """At most `limit` rows, evenly spread: a page of points must stay small."""
    return frame.gather_every(max(1, -(-frame.height // limit)))
