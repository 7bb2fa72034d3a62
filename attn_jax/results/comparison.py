"""What the columns of a comparison of saliency methods come to: statistics with their intervals."""

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl
import scipy.stats

from attn_jax.results import measure
from attn_jax.results.aggregate import Summary

Statistics = Iterator[tuple[str, Summary | None]]
SHUFFLED = "shuffled"
# Tau of short texts scatters more: methods and corpora are compared within these, both ends included.
LENGTHS = ((2, 10), (11, 20), (21, 40), (41, 80), (81, 10**6))
COMPLETE = 0.01  # a residual below this share of the change is complete


def names_of(frame: pl.DataFrame) -> tuple[str, ...]:
    """The methods that were compared, in the order of the alphabet, which is that of a pair's column."""
    return tuple(sorted(name.removeprefix("score/") for name in frame.columns if name.startswith("score/")))


def statistics(frame: pl.DataFrame, seeds: pl.DataFrame) -> Statistics:
    """All of them: agreement with null, ceiling and by length, faithfulness, plausibility, completeness.

    `seeds` has the scores of the same texts under two seeds or more, for the ceiling.
    """
    names = names_of(frame)
    yield from _agreement(frame, names)
    yield from _ceiling(seeds, names)
    yield from _areas(frame, names)
    yield from _plausibility(frame, names)
    yield from _completeness(frame, names)


def _agreement(frame: pl.DataFrame, names: Sequence[str]) -> Statistics:
    """Kendall's tau and the share of top tokens in common; pairs with `shuffled` are the null."""
    for first, second in itertools.combinations((*names, SHUFFLED), 2):
        for kind in ("tau", "overlap"):
            yield f"{kind}_{first}_{second}_mean", measure.mean(frame, pl.col(f"{kind}/{first}/{second}"))
        if first != "attention":
            continue
        for low, high in LENGTHS:
            part = frame.filter(pl.col("length").is_between(low, high))
            found = measure.mean(part, pl.col(f"tau/{first}/{second}"))
            yield f"tau_{first}_{second}_mean@{low}-{high if high < 10**6 else ''}", found


def _ceiling(frame: pl.DataFrame, names: Sequence[str]) -> Statistics:
    """The same method on the same text under another seed."""
    seeds = frame["seed"].unique(maintain_order=True).to_list()
    pairs = list(itertools.pairwise(seeds))
    columns = ["id", "mask", *(f"score/{name}" for name in names)]
    for name in names:
        parts = [_between(frame.select("seed", *columns), name, *pair) for pair in pairs]
        yield f"tau_{name}_seeds_mean", measure.mean(pl.concat(parts), pl.col("tau"))


def _between(frame: pl.DataFrame, name: str, first: int, second: int) -> pl.DataFrame:
    column = f"score/{name}"
    one, other = (frame.filter(pl.col("seed") == seed) for seed in (first, second))
    both = one.join(other.select("id", other=column), on="id")
    taus = [
        _tau(np.array(row[column])[row["mask"]], np.array(row["other"])[row["mask"]])
        for row in both.iter_rows(named=True)
    ]
    return both.select("seed", "id").with_columns(tau=pl.Series(taus, dtype=pl.Float64))


def _tau(first: np.ndarray, second: np.ndarray) -> float | None:
    """None where one of the two does not order the tokens."""
    first, second = np.abs(first), np.abs(second)
    if len(first) < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    return float(scipy.stats.kendalltau(first, second)[0])  # pyright: ignore[reportArgumentType]


def _areas(frame: pl.DataFrame, names: Sequence[str]) -> Statistics:
    """AOPC of each method, and attention's minus each other's, under every definition of removing."""
    for area in ("comprehensiveness", "sufficiency"):
        for kind in (area, f"normalised_{area}"):
            for name in (*names, SHUFFLED):
                yield f"aopc_{kind}_{name}_mean", measure.mean(frame, pl.col(f"aopc_{kind}/{name}"))
        for mode in ("", "@renormalise", "@mask"):
            for name in (*names, SHUFFLED):
                own, other = (pl.col(f"aopc_{area}{mode}/{which}") for which in ("attention", name))
                if name != "attention":
                    gap = measure.mean(frame, own - other)
                    yield f"aopc_{area}_attention_minus_{name}_mean{mode}", gap


def _plausibility(frame: pl.DataFrame, names: Sequence[str]) -> Statistics:
    """Where rationales are known. `shuffled` is what the same weights find by chance."""
    for name in (*names, SHUFFLED):
        for kind in ("auprc", "token_f1", "iou_f1"):
            yield f"plausible_{kind}_{name}_mean", measure.mean(frame, pl.col(f"{kind}/{name}"))


def _completeness(frame: pl.DataFrame, names: Sequence[str]) -> Statistics:
    for name in names:
        residual, change = pl.col(f"residual/{name}").abs(), pl.col(f"change/{name}").abs()
        yield f"residual_{name}_mean", measure.mean(frame, residual)
        yield f"residual_{name}_complete_share", measure.mean(frame, residual <= COMPLETE * change)
