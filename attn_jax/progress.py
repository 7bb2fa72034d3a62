"""A progress bar whose time left can be believed."""

import time
from collections.abc import MutableMapping
from typing import Any

from tqdm import tqdm


class Bar(tqdm):
    """tqdm, but the rate is the mean since the first update.

    The first step compiles, which no later one does, and tqdm's own rate forgets all but the last seconds,
    so that it follows every hiccup of a shared machine.
    """

    _clock = staticmethod(time.monotonic)  # the clock of the wall may be set back
    _warm: tuple[float, float] | None = None  # steps and time at the first update

    def update(self, n: float | None = 1) -> bool | None:
        """Some steps were made."""
        shown = super().update(n)
        if self._warm is None and not self.disable:
            self._warm = self.n, self._clock()
        return shown

    def skip(self, n: int) -> None:
        """Steps that an earlier process made: they took no time and say nothing of the rate."""
        super().update(n)
        self._warm = None

    @property
    def format_dict(self) -> MutableMapping[str, Any]:
        """What is shown, see tqdm."""
        found = super().format_dict
        if self._warm is not None and self.n > self._warm[0]:
            found["rate"] = (self.n - self._warm[0]) / max(self._clock() - self._warm[1], 1e-9)
        return found
