"""Which split each published instance goes to, drawn before anything is tokenised."""

from collections.abc import Mapping, Sequence

import numpy as np

from attn_jax.data.specs.spec import Part, Splits

# Published part and position in it -> split; what is not there is not used.
Division = dict[tuple[Part, int], Part]


def divide(labels: Mapping[Part, Sequence[int]], splits: Splits) -> Division:
    """Assigns every instance, given the labels of each published part in order."""
    rng = np.random.default_rng(splits.seed)
    places = {part: [(part, i) for i in range(len(values))] for part, values in labels.items()}
    if splits.pool:
        places = {"train": [place for part in places.values() for place in part]}
    values = {(part, i): value for part, known in labels.items() for i, value in enumerate(known)}
    train, dev, test = (list(places.get(part, [])) for part in ("train", "dev", "test"))
    if "test" not in places:
        train, test = _draw(rng, train, values, splits.test_share, splits.stratified)
    elif splits.test_sample < 1:
        _, test = _draw(rng, test, values, splits.test_sample, splits.stratified)
    if "dev" not in places:
        train, dev = _draw(rng, train, values, splits.dev_share, splits.stratified)
    return {place: split for split, chosen in _named(train, dev, test) for place in chosen}


def _named(train: list, dev: list, test: list) -> tuple[tuple[Part, list], ...]:
    return ("train", train), ("dev", dev), ("test", test)


def _draw(
    rng: np.random.Generator, places: list, values: Mapping, share: float, stratified: bool
) -> tuple[list, list]:
    """(the rest, a random `share` of the places), both in their old order; class by class if stratified."""
    groups: dict[int, list[int]] = {}
    for position, place in enumerate(places):
        groups.setdefault(values[place] if stratified else 0, []).append(position)
    drawn: set[int] = set()
    for _, members in sorted(groups.items()):
        size = round(share * len(members))
        drawn.update(int(i) for i in rng.permutation(members)[:size])
    rest = [place for i, place in enumerate(places) if i not in drawn]
    return rest, [place for i, place in enumerate(places) if i in drawn]
