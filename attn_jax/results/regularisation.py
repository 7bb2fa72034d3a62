"""Records of the studies around Tutek & Snajder's tables: strengths, imitators, the start of the query.

None of them is printed as a number by the paper, so all are our own statistics; F1 in percent, as there.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from attn_jax.results import measure
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
        for level in AT_JSD:
            costs = _costs(frame, level)
            if costs:
                yield {"metric": f"imitation_tvd_at_jsd@{level:g}"}, over_seeds(costs, n=frame.height)

    return cell.records(statistics(), "imitation")


def _costs(frame: pl.DataFrame, level: float) -> list[float]:
    """Each seed's TVD where its curve over strengths passes this JSD; none if some curve does not."""
    means = frame.group_by("seed", "strength").agg(pl.col("jsd", "tvd").mean()).sort("seed", "jsd")
    costs = []
    for _, curve in means.group_by("seed", maintain_order=True):
        jsd, tvd = curve["jsd"].to_numpy(), curve["tvd"].to_numpy()
        if not jsd[0] <= level <= jsd[-1]:
            return []
        costs.append(float(np.interp(level, jsd, tvd)))
    return costs


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
