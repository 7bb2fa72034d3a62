"""Serrano & Smith (2019): is attention the order in which weights must go for the decision to change?"""

from collections.abc import Iterator

import polars as pl

from attn_jax.analyses.weight_erasure import weight_erasure
from attn_jax.results import measure
from attn_jax.results.records import Record
from experiments.questions.case import Case, Statistics

ORDERS = ("attention", "gradient", "gradient_x_attention", "random", "reverse_attention", "smallest")


def answered(case: Case) -> list[Record]:
    """The 2 x 2 table of single weights, and what each order must remove."""
    frame = case.examined(weight_erasure)
    return case.records(statistics(frame))


def statistics(frame: pl.DataFrame) -> Statistics:
    """Of the rows of `weight_erasure`."""
    yield from _single(frame)
    yield from _many(frame)


def _single(frame: pl.DataFrame) -> Statistics:
    """Shares of the instances with two tokens and more."""
    defined = frame.filter(pl.col("single_defined"))
    top, other = pl.col("top_flips"), pl.col("other_flips")
    yield "single_delta_alpha_mean", measure.mean(defined, pl.col("delta_alpha"))
    yield "single_delta_js_mean", measure.mean(defined, pl.col("delta_js"))
    yield "single_delta_js_negative_share", measure.mean(defined, pl.col("delta_js") < 0)
    yield "single_both_flip_share", measure.mean(defined, top & other)
    yield "single_only_top_flips_share", measure.mean(defined, top & ~other)
    yield "single_only_other_flips_share", measure.mean(defined, other & ~top)
    yield "single_neither_flips_share", measure.mean(defined, ~top & ~other)


def _many(frame: pl.DataFrame) -> Statistics:
    """Instances that never flip count as all removed, and are counted."""
    if "smallest_flips" not in frame.columns:
        return
    for name in ORDERS:
        yield f"removed_{name}_fraction_mean", measure.mean(frame, pl.col(f"{name}_fraction"))
        yield f"removed_{name}_never_flips_share", measure.mean(frame, ~pl.col(f"{name}_flips"))
        regret = pl.when("smallest_flips").then(pl.col(f"{name}_regret"))
        yield f"removed_{name}_regret_mean", measure.mean(frame, regret)
    yield from _differences(frame)


def _differences(frame: pl.DataFrame) -> Iterator:
    """Paired, on the instances that some set of removals flips: where none does no order can be better."""
    can = frame.filter(pl.col("smallest_flips"))
    for name in ("random", "gradient", "gradient_x_attention"):
        gap = pl.col(f"{name}_fraction") - pl.col("attention_fraction")
        yield f"removed_{name}_minus_attention_fraction_mean", measure.mean(can, gap)
