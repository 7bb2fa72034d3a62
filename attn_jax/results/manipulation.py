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
