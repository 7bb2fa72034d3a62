"""Records of the studies around Tutek & Snajder's tables: strengths, imitators, the start of the query.

None of them is printed as a number by the paper, so all are our own statistics; F1 in percent, as there.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from attn_jax.results import measure
from attn_jax.results.aggregate import Summary
from attn_jax.results.records import Record
from attn_jax.results.tutek_snajder import Cell, Keyed, over_seeds, performance, scaled

CHOSEN = "strength_chosen"
AT_JSD = (0.05, 0.1, 0.2, 0.3, 0.4)  # where curves of imitators are compared


def ablation(frames: Mapping[float, pl.DataFrame], cell: Cell) -> list[Record]:
    """F1 and drops on the dev split at each strength, and the strength chosen: the best F1 there.

    Of equal ones the weakest. The paper says "best-performing" without saying on what.
    """
    found = {strength: performance(frame) for strength, frame in sorted(frames.items())}
    chosen = max(found, key=lambda strength: found[strength]["f1_trained"].value)

    def statistics() -> Iterator[Keyed]:
        for strength, scores in found.items():
            for metric, summary in scores.items():
                yield {"metric": f"dev_{metric}@{strength:g}"}, summary
        size = frames[chosen].height
        yield {"metric": CHOSEN}, over_seeds([chosen], n=size)

    return cell.records(statistics(), "ablation")


def imitation(frame: pl.DataFrame, cell: Cell) -> list[Record]:
    """Figure 1: mean JSD and TVD of the imitators from their target, by strength, and TVD at equal JSD.

    `frame` has a row per seed, strength and test instance: seed, strength, id, gold, prediction, jsd, tvd.
    """
    labels = [1] if frame["gold"].n_unique() == 2 else sorted(set(frame["gold"]))

    def statistics() -> Iterator[Keyed]:
        for (strength,), part in frame.group_by("strength", maintain_order=True):
            for name in ("jsd", "tvd"):
                summary = measure.mean(part, pl.col(name))
                assert summary is not None  # every instance has both
                yield {"metric": f"imitation_{name}_mean@{strength:g}"}, summary
            yield {"metric": f"imitation_f1@{strength:g}"}, scaled(measure.f1(part, labels), 100.0)
        for level in _reached(frame):
            yield {"metric": f"imitation_tvd_at_jsd@{level:g}"}, _cost(frame, level)

    return cell.records(statistics(), "imitation")


def _reached(frame: pl.DataFrame) -> list[float]:
    """The levels that the curve of every seed passes."""
    means = frame.group_by("seed", "strength").agg(pl.col("jsd").mean())
    ends = means.group_by("seed").agg(low=pl.col("jsd").min(), high=pl.col("jsd").max())
    low, high = float(ends["low"].to_numpy().max()), float(ends["high"].to_numpy().min())
    return [level for level in AT_JSD if low <= level <= high]


def _cost(frame: pl.DataFrame, level: float) -> Summary:
    """TVD where the curve over strengths passes this JSD."""
    curves = frame.pivot("strength", index=("seed", "id"), values=("jsd", "tvd"))
    numbers = curves.drop("seed", "id").to_numpy()  # every JSD of an instance, then every TVD

    def cost(means: np.ndarray) -> np.ndarray:
        jsd, tvd = np.split(means, 2, axis=-1)
        places = np.argsort(jsd, axis=-1)
        points = (np.take_along_axis(one, places, axis=-1).reshape(-1, one.shape[-1]) for one in (jsd, tvd))
        found = [np.interp(level, *curve) for curve in zip(*points, strict=True)]
        return np.reshape(found, means.shape[:-1])

    return measure.of_means(curves, numbers, cost)


def initialisation(history: Sequence[Mapping[str, Any]], cell: Cell, *, n: int) -> list[Record]:
    """Appendix C: relative entropy of the attention after each epoch (0: before the first), and at last.

    A row of `history` has epoch (0, 1, ...), seed and attention_entropy, a mean over `n` dev instances.
    """
    epochs: dict[int, list[float]] = {}
    for row in history:
        epochs.setdefault(row["epoch"], []).append(row["attention_entropy"])

    def statistics() -> Iterator[Keyed]:
        for epoch, values in sorted(epochs.items()):
            yield {"metric": f"dev_attention_entropy@{epoch}"}, over_seeds(values, n=n)
        yield {"metric": "dev_attention_entropy_final"}, over_seeds(epochs[max(epochs)], n=n)

    return cell.records(statistics(), "initialisation")
