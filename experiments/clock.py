"""How long each stage of a run took."""

import dataclasses
import time

from attn_jax.results import jsonl
from attn_jax.results.run_dir import RunDir


class Clock:
    """Seconds of each stage into timings.jsonl: never the same twice, hence apart from the metrics.

    A run that was stopped and goes on adds to what stands there.
    """

    def __init__(self, run: RunDir):
        self._path = run.timings
        self._rows = jsonl.read(run.timings) if run.timings.exists() else []

    def __call__(self, stage: str) -> "_Stage":
        """A block whose duration is noted under this name."""
        return _Stage(self, stage)

    def note(self, stage: str, seconds: float) -> None:
        """Adds one duration to the file."""
        self._rows.append({"stage": stage, "seconds": round(seconds, 3)})
        jsonl.write(self._path, self._rows)


@dataclasses.dataclass
class _Stage:
    clock: Clock
    name: str
    start: float = 0.0

    def __enter__(self):
        self.start = time.perf_counter()

    def __exit__(self, *_):
        self.clock.note(self.name, time.perf_counter() - self.start)
