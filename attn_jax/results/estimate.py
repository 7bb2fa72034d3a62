"""A figure with its interval, and what becomes of intervals when figures are put together."""

import dataclasses
import math
from collections.abc import Sequence


@dataclasses.dataclass(frozen=True)
class Estimate:
    """A value between its bounds, which are the value itself where no interval is known."""

    value: float
    low: float
    high: float
    n: int | None = None  # instances behind it
    caveats: tuple[str, ...] = ()

    @property
    def bounded(self) -> bool:
        """Whether an interval is known."""
        return self.low < self.high

    def minus(self, other: "Estimate") -> "Estimate":
        """The difference; its interval by the square-and-add rule.

        Zou & Donner (2008), "Construction of confidence limits about effect measures". The rule takes
        the two as independent, so for figures of the same instances it errs on the wide side.
        """
        value = self.value - other.value
        low = value - math.hypot(self.value - self.low, other.high - other.value)
        high = value + math.hypot(self.high - self.value, other.value - other.low)
        return Estimate(value, low, high, _fewer(self.n, other.n), _union(self, other))

    def scaled(self, factor: float) -> "Estimate":
        """The figure in another unit."""
        low, high = sorted((factor * self.low, factor * self.high))
        return dataclasses.replace(self, value=factor * self.value, low=low, high=high)

    def distance(self, point: float) -> "Estimate":
        """How far it lies from a point, on either side of it."""
        ends = sorted((abs(self.low - point), abs(self.high - point)))
        low = 0.0 if self.low < point < self.high else ends[0]
        return dataclasses.replace(self, value=abs(self.value - point), low=low, high=ends[1])


def mean(estimates: Sequence[Estimate], weights: Sequence[float] = ()) -> Estimate:
    """The weighted mean of independent figures, all alike without weights; its interval by the same rule."""
    weights = weights or [1.0] * len(estimates)
    shares = [weight / sum(weights) for weight in weights]
    value = math.fsum(share * e.value for share, e in zip(shares, estimates, strict=True))
    below = math.hypot(*(share * (e.value - e.low) for share, e in zip(shares, estimates, strict=True)))
    above = math.hypot(*(share * (e.high - e.value) for share, e in zip(shares, estimates, strict=True)))
    known = [e.n for e in estimates if e.n is not None]
    n = sum(known) if len(known) == len(estimates) else None
    return Estimate(value, value - below, value + above, n, _union(*estimates))


def together(estimates: Sequence[Estimate]) -> Estimate:
    """The mean of figures of the same instances, its interval as wide as if all moved together."""
    value, low, high = (
        math.fsum(ends) / len(estimates)
        for ends in zip(*((e.value, e.low, e.high) for e in estimates), strict=True)
    )
    return Estimate(value, low, high, _fewer(*(e.n for e in estimates)), _union(*estimates))


def _fewer(*counts: int | None) -> int | None:
    return min((count for count in counts if count is not None), default=None)


def _union(*estimates: Estimate) -> tuple[str, ...]:
    """Every caveat once, in order."""
    return tuple(dict.fromkeys(caveat for e in estimates for caveat in e.caveats))
