"""Whether two run folders hold the same results."""

import json
import pathlib
from collections.abc import Iterator

import jax
import numpy as np
import orbax.checkpoint as ocp

SAME_BYTES = ("records.csv", "examples.parquet", "metrics.jsonl")


def differences(expected: pathlib.Path, found: pathlib.Path) -> list[str]:
    """What differs, run by run below both folders; [] if they are alike.

    Bytes of the records, examples and metrics, the configuration without its block `run`, every array of
    the checkpoints, and the names of all files and folders: none lost, none left over.
    """
    runs = [path.parent.relative_to(expected) for path in sorted(expected.rglob("config.json"))]
    differing = [f"{run}: {what}" for run in runs for what in _of_run(expected / run, found / run)]
    return differing + [f"only once: {name}" for name in sorted(_names(expected) ^ _names(found))]


def _of_run(expected: pathlib.Path, found: pathlib.Path) -> Iterator[str]:
    for name in SAME_BYTES:
        if not (found / name).exists() or (expected / name).read_bytes() != (found / name).read_bytes():
            yield name
    if _settled(expected) != _settled(found):
        yield "config.json"
    if not _same_arrays(expected / "params", found / "params"):
        yield "checkpoint"


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
