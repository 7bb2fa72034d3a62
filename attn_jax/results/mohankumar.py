"""Statistics of Mohankumar et al.'s remedy (2020): states that differ, and what attention is then worth.

Frames have a row per seed and instance: tokens, mask, alpha, conicity, and what erasing weights did.
"""

from collections.abc import Callable, Iterator

import polars as pl

from attn_jax.results import measure
from attn_jax.results.aggregate import Summary

Statistics = Iterator[tuple[str, Summary | None]]
SHARES = (0.1, 0.25, 0.5, 0.75, 0.9)  # of the tokens erased: the points of the curves
ORDERS = ("attention", "random")


def statistics(frame: pl.DataFrame, word_class: Callable[[str], str]) -> Statistics:
    """Conicity, accuracy, erasure curves, and attention by class of word."""
    yield "accuracy", measure.mean(frame, pl.col("gold") == pl.col("prediction"))
    yield "conicity_mean", measure.mean(frame, pl.col("conicity"))
    if "smallest_flips" in frame.columns:
        yield from _curves(frame)
    yield from _by_class(frame, word_class)


def _curves(frame: pl.DataFrame) -> Statistics:
    """The share of decisions that have changed once a share of the tokens is erased, in each order."""
    for order in ORDERS:
        yield f"removed_{order}_fraction_mean", measure.mean(frame, pl.col(f"{order}_fraction"))
        for share in SHARES:
            flipped = pl.col(f"{order}_flips") & (pl.col(f"{order}_fraction") <= share)
            yield f"{order}_flipped_share@{share:g}", measure.mean(frame, flipped)
    saved = pl.col("random_fraction") - pl.col("attention_fraction")
    yield "attention_saves_mean", measure.mean(frame.filter(pl.col("smallest_flips")), saved)


def saved_more(frame: pl.DataFrame, plain: pl.DataFrame) -> Summary | None:
    """Share of the tokens saved against a random order, minus the plain model's, where both can flip."""
    saved = pl.col("random_fraction") - pl.col("attention_fraction")
    both = [f.filter(pl.col("smallest_flips")).select("seed", "id", saved=saved) for f in (frame, plain)]
    paired = both[0].join(both[1], on=("seed", "id"), suffix="_plain")
    return None if paired.is_empty() else measure.mean(paired, pl.col("saved") - pl.col("saved_plain"))


def _by_class(frame: pl.DataFrame, word_class: Callable[[str], str]) -> Statistics:
    """Mean attention on each class of word beside its share of the words."""
    rows = frame.select("seed", "id", "tokens", "mask", "alpha").with_row_index("row")
    words = rows.explode("tokens", "mask", "alpha").filter(pl.col("mask"))
    kinds = {word: word_class(word) for word in words["tokens"].unique()}
    words = words.with_columns(kind=pl.col("tokens").replace_strict(kinds, return_dtype=pl.String))
    total = words.group_by("row", maintain_order=True).agg(pl.col("seed", "id").first(), count=pl.len())
    for kind in sorted(set(kinds.values())):
        part = (
            words.filter(pl.col("kind") == kind).group_by("row").agg(mass=pl.col("alpha").sum(), own=pl.len())
        )
        joined = total.join(part, on="row", how="left", maintain_order="left").fill_null(0)
        yield f"attention_on_{kind}_mean", measure.mean(joined, pl.col("mass"))
        yield f"share_of_{kind}_mean", measure.mean(joined, pl.col("own") / pl.col("count"))
