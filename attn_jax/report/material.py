"""What a page is made of: the files of one run directory, read and checked."""

import dataclasses
import pathlib
from typing import Any

import polars as pl

from attn_jax.errors import UserError
from attn_jax.report.canvas import grouped
from attn_jax.results import config, examples, jsonl, records
from attn_jax.results.facts import Facts
from attn_jax.results.records import Record
from attn_jax.results.run_dir import RunDir


@dataclasses.dataclass(frozen=True)
class Material:
    """One run. `frame` holds the rows that the records are made of."""

    config: dict[str, Any]
    records: list[Record]
    frame: pl.DataFrame
    metrics: list[dict[str, Any]]

    @property
    def settings(self) -> dict[str, Any]:
        """What the experiment was asked to do."""
        return self.config["settings"]

    @property
    def facts(self) -> Facts:
        """Our own statistics by name."""
        return Facts(self.records)

    @property
    def labels(self) -> list[str]:
        """The names of the classes, or numbers where the settings name none."""
        count = len(self.frame["probabilities"][0])
        names = [str(name) for name in self.settings.get("labels", [])]
        return names if len(names) == count else [f"class {label}" for label in range(count)]

    @property
    def groups(self) -> dict[str, pl.DataFrame]:
        """The rows of each predicted class."""
        return grouped(self.frame, self.labels)

    @property
    def subject(self) -> list[str]:
        """Data set, encoder, attention, variant: whose attention is on trial."""
        first = self.records[0]
        return [name for name in (first.dataset, first.encoder, first.attention, first.variant) if name]


def load(path: pathlib.Path, split: str = "test") -> Material:
    """Reads a finished run; `metrics.jsonl` may be absent.

    Raises:
        UserError: a file is missing or malformed, or holds nothing.
    """
    run = RunDir(path)
    made = records.read(run.records)
    frame = examples.read(run.examples).filter(pl.col("split") == split)
    if not made or frame.is_empty():
        raise UserError(f"{path} holds no results of the split {split}; run the experiment again.")
    metrics = jsonl.read(run.metrics) if run.metrics.exists() else []
    return Material(config.read(run.config), made, frame, metrics)
