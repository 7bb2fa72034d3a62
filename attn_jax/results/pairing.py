"""What one regularised model has beyond another that was judged on the same instances, in percent.

Both answer every resample of the bootstrap, seed by seed and instance by instance: what is hard in the test
set is hard for both and cancels, so the interval is far narrower than that of two runs taken as independent.
"""

from collections.abc import Iterator

import numpy as np
import polars as pl

from attn_jax.results import aggregate, measure
from attn_jax.results.aggregate import Statistic
from attn_jax.results.records import Record
from attn_jax.results.tutek_snajder import ALTERED, Cell, Keyed, labels_of, scaled

_COLUMNS = ("prediction", *(f"prediction_{name}" for name in ALTERED))


def metric(name: str, other: str) -> str:
    """What the difference in the statistic `name` from the model called `other` is called."""
    return f"{name}_minus_{other}"


def records_of(frame: pl.DataFrame, beside: pl.DataFrame, cell: Cell, other: str) -> list[Record]:
    """F1 and its drops of the cell minus those of the model `other`; none where they share no instance."""
    labels = labels_of(frame)
    wanted = ("seed", "id", "gold", *_COLUMNS)
    both = frame.select(wanted).join(beside.select(wanted), on=("seed", "id", "gold"), suffix="_beside")
    if both.is_empty():
        return []
    gold = both["gold"].to_numpy()
    numbers = np.concatenate(
        [
            aggregate.outcomes(gold, both[column + suffix].to_numpy(), label)
            for suffix in ("", "_beside")
            for column in _COLUMNS
            for label in labels
        ],
        axis=1,
    )

    def statistics() -> Iterator[Keyed]:
        for name, statistic in _differences(len(labels)):
            summary = measure.of_means(both, numbers, statistic)
            yield {"metric": metric(name, other)}, scaled(summary, 100.0)

    return cell.records(statistics(), f"minus-{other}")


def _differences(labels: int) -> Iterator[tuple[str, Statistic]]:
    """Of F1, then of what each way of altering attention does to it."""

    def gained(means: np.ndarray) -> np.ndarray:
        """F1 under each attention, the model's minus the other's: [..., A]."""
        scores = aggregate.f1(means.reshape(*means.shape[:-1], 2, len(_COLUMNS), labels, 3)).mean(axis=-1)
        return scores[..., 0, :] - scores[..., 1, :]

    yield "f1_trained", lambda means: gained(means)[..., 0]
    for place, name in enumerate(ALTERED, 1):
        yield f"f1_drop_{name}", lambda means, place=place: gained(means)[..., place] - gained(means)[..., 0]
