"""Which split each published instance goes to, drawn before anything is tokenised."""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Bool, Int, UInt8

from attn_jax.data.specs.spec import Part, Splits

SPLITS: tuple[Part, ...] = ("train", "dev", "test")
TRAIN, DEV, TEST, UNUSED = range(4)

# For each published part the split of each of its instances, one byte each.
Division = dict[Part, UInt8[np.ndarray, "_"]]


def divide(labels: Mapping[Part, Int[np.ndarray, "_"]], splits: Splits) -> Division:
    """Assigns every instance, given the labels of each published part in order."""
    if not splits.pool:
        return _assign(labels, splits)
    pooled = _assign({"train": np.concatenate(list(labels.values()))}, splits)["train"]
    ends = np.cumsum([len(known) for known in labels.values()])
    return dict(zip(labels, np.split(pooled, ends[:-1]), strict=True))


def _assign(labels: Mapping[Part, Int[np.ndarray, "_"]], splits: Splits) -> Division:
    rng = np.random.default_rng(splits.seed)
    division = {part: np.full(len(known), SPLITS.index(part), np.uint8) for part, known in labels.items()}

    def draw(part: Part, share: float) -> Bool[np.ndarray, "_"]:
        groups = labels[part] if splits.stratified else np.zeros_like(labels[part])
        return _drawn(rng, groups, division[part] == SPLITS.index(part), share)

    if "test" not in labels:
        division["train"][draw("train", splits.test_share)] = TEST
    elif splits.test_sample < 1:
        division["test"][~draw("test", splits.test_sample)] = UNUSED
    if "dev" not in labels and "train" in labels:
        division["train"][draw("train", splits.dev_share)] = DEV
    return division


def _drawn(
    rng: np.random.Generator, groups: Int[np.ndarray, "n"], eligible: Bool[np.ndarray, "n"], share: float
) -> Bool[np.ndarray, "n"]:
    """Marks a random `share` of the eligible instances of each group."""
    drawn = np.zeros(len(groups), bool)
    for group in np.unique(groups):
        members = np.flatnonzero((groups == group) & eligible)
        drawn[rng.permutation(members)[: round(share * len(members))]] = True
    return drawn
