"""Statistics of attention that was trained away from the tokens that matter (Pruthi et al. 2020)."""

from collections.abc import Iterator, Mapping

import polars as pl

from attn_jax.results import measure
from attn_jax.results.aggregate import Summary


def statistics(frames: Mapping[float, pl.DataFrame]) -> Iterator[tuple[str, Summary | None]]:
    """By strength: accuracy and the mass on the tokens; of the model without it, what could be hidden.

    Frames have a row per seed and instance: gold, prediction, mass, share, least_mass, most_mass. Only
    instances count in which some tokens matter and some do not.
    """
    for strength, frame in frames.items():
        some = frame.filter((pl.col("share") > 0) & (pl.col("share") < 1))
        yield f"accuracy@{strength:g}", measure.mean(frame, pl.col("gold") == pl.col("prediction"))
        yield f"mass_mean@{strength:g}", measure.mean(some, pl.col("mass"))
        if strength == 0:
            yield "token_share_mean", measure.mean(some, pl.col("share"))
            yield "least_mass_mean", measure.mean(some, pl.col("least_mass"))
            yield "most_mass_mean", measure.mean(some, pl.col("most_mass"))
    strongest = max(frames)
    yield f"accuracy_lost@{strongest:g}", measure.accuracy_gain(frames[0.0], frames[strongest])


def written(frames: Mapping[float, pl.DataFrame]) -> Iterator[tuple[str, Summary | None]]:
    """The same of models that write: `right` is the share of a text's words, `mass` a mean over them."""
    for strength, frame in frames.items():
        yield f"accuracy@{strength:g}", measure.mean(frame, pl.col("right"))
        yield f"mass_mean@{strength:g}", measure.mean(frame, pl.col("mass"))
    strongest = max(frames)
    paired = frames[0.0].join(frames[strongest], on=("seed", "id"), suffix="_hiding")
    yield f"accuracy_lost@{strongest:g}", measure.mean(paired, pl.col("right") - pl.col("right_hiding"))
