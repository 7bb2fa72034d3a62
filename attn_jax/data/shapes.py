"""Which padded shapes a corpus is worth: a few instances of one are padded to a larger one instead.

Every shape is a program to compile, for training and for each analysis. Where the padding of a larger shape
costs less than that, the smaller one is spared.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence

Shape = tuple[int, ...]  # lengths of the texts, or sentences and words

# Pairs of tokens that are read in about the time a program takes to compile: on one core a trial takes about
# 15 microseconds a pair, and its programs half a minute a shape; training needs less of either.
SPARED = 1 << 19


def gathered(
    needed: Sequence[Shape], tokens: Callable[[Shape], int] = sum, spared: int = SPARED
) -> dict[Shape, list[int]]:
    """Which instances are padded to each shape, small ones first; `needed` is the least that holds each."""
    places, members = folded(Counter(needed), tokens, spared), defaultdict(list)
    for i, shape in enumerate(needed):
        members[places[shape]].append(i)
    return dict(sorted(members.items()))


def folded(
    counts: Mapping[Shape, int], tokens: Callable[[Shape], int] = sum, spared: int = SPARED
) -> dict[Shape, Shape]:
    """Each shape's place: itself, or a larger shape that its instances are padded to.

    `counts` are instances a shape, `tokens` what an instance of a shape has. The cheapest fold is made first,
    until each would cost more than `spared`.
    """
    left, places = dict(counts), {shape: shape for shape in counts}
    while folds := [fold for fold in _folds(left, tokens) if fold[0] <= spared]:
        _, small, large = min(folds)
        left[large] += left.pop(small)
        places = {shape: large if place == small else place for shape, place in places.items()}
    return places


def _folds(counts: Mapping[Shape, int], tokens: Callable[[Shape], int]) -> list[tuple[int, Shape, Shape]]:
    """(pairs of tokens more, from, to) for each two shapes of which one holds the other."""
    return [
        (count * (tokens(large) ** 2 - tokens(small) ** 2), small, large)
        for small, count in counts.items()
        for large in counts
        if small != large and all(a <= b for a, b in zip(small, large, strict=True))
    ]
