"""Whether two run folders hold the same results."""

import json
import pathlib
from collections.abc import Iterator

import jax
import numpy as np
import orbax.checkpoint as ocp
import polars as pl
import polars.selectors as cs

from attn_jax.results import examples, records

# Two words of the same effect tie but for rounding, which may break the tie either way: rank correlations of
# single instances jump, their means hardly move.
ROUNDING = {"examples.parquet": 1e-5, "records.csv": 2e-3}
SAME_BYTES = ("records.csv", "examples.parquet", "metrics.jsonl")


def differences(expected: pathlib.Path, found: pathlib.Path, *, rounded: bool = False) -> list[str]:
    """What differs, run by run below both folders; [] if they are alike.

    Bytes of the records, examples and metrics, the configuration without its block `run`, every array of
    the checkpoints, and the names of all files and folders: none lost, none left over. `rounded`:
    numbers of examples and records may differ by as much as other sizes of batches make them.
    """
    runs = [path.parent.relative_to(expected) for path in sorted(expected.rglob("config.json"))]
    differing = [f"{run}: {what}" for run in runs for what in _of_run(expected / run, found / run, rounded)]
    return differing + [f"only once: {name}" for name in sorted(_names(expected) ^ _names(found))]


def _of_run(expected: pathlib.Path, found: pathlib.Path, rounded: bool) -> Iterator[str]:
    for name in SAME_BYTES:
        old, new = expected / name, found / name
        if not new.exists() or not (old.read_bytes() == new.read_bytes() or (rounded and _near(old, new))):
            yield name
    if _settled(expected) != _settled(found):
        yield "config.json"
    if not _same_arrays(expected / "params", found / "params"):
        yield "checkpoint"


def _near(expected: pathlib.Path, found: pathlib.Path) -> bool:
    """Whether two tables have the same rows and words, and numbers that differ by rounding only."""
    if expected.name not in ROUNDING:
        return False
    old, new = (_table(path) for path in (expected, found))
    same = old.schema == new.schema and len(old) == len(new)
    return same and apart(old, new) <= ROUNDING[expected.name]


def _table(path: pathlib.Path) -> pl.DataFrame:
    if path.name == "records.csv":
        return records.frame(records.read(path))
    return examples.read(path).drop(cs.starts_with("tau_"))


def apart(old: pl.DataFrame, new: pl.DataFrame) -> float:
    """The largest difference of two numbers in the same place; infinite where anything else differs."""
    most = 0.0
    for name in old.columns:
        one, other = (_flat(frame[name]) for frame in (old, new))
        if one.dtype.is_float() and len(one) == len(other):
            most = max(most, (one - other).abs().fill_null(0.0).to_numpy().max(initial=0.0))
            one, other = one.is_null(), other.is_null()
        if not one.equals(other):
            return float("inf")
    return most


def _flat(values: pl.Series) -> pl.Series:
    while isinstance(values.dtype, pl.List):
        values = values.explode()
    return values


def _settled(run: pathlib.Path) -> dict:
    path = run / "config.json"
    config = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return {name: block for name, block in config.items() if name != "run"}


def _same_arrays(expected: pathlib.Path, found: pathlib.Path) -> bool:
    old, new = (_arrays(folder) for folder in (expected, found))
    return len(old) == len(new) and all(map(np.array_equal, old, new))


def _arrays(folder: pathlib.Path) -> list[np.ndarray]:
    """Every leaf of the newest checkpoint, [] where there is none."""
    steps = sorted(folder.glob("[0-9]*"))
    if not steps:
        return []
    with ocp.StandardCheckpointer() as reader:
        return jax.tree.leaves(jax.tree.map(np.asarray, reader.restore((steps[-1] / "state").resolve())))


def _names(folder: pathlib.Path) -> set[str]:
    """Files and folders below, but for those inside a checkpoint, which are named at random."""
    paths = (path.relative_to(folder) for path in folder.rglob("*"))
    return {str(path) for path in paths if "params" not in path.parts[:-2]}
