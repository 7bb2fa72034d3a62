"""Run directories as an experiment leaves them."""

import pathlib

from attn_jax.results import examples, jain_wallace, jsonl, records, run_dir
from tests.results import frames


def build(path: pathlib.Path, frame, cell=None, **changes) -> pathlib.Path:
    """A finished run directory without its page."""
    settings = frames.settings(**changes)
    cell = cell or jain_wallace.Cell("sst", "bilstm", "additive", caveat="a toy")
    made = jain_wallace.records_of(frame, cell, epsilon_grid=settings["epsilon_grid"])
    with run_dir.opened(path, settings, device="cpu", command=["python", "toy.py"]) as run:
        records.write(run.records, made)
        examples.write(run.examples, frame)
        rows = [{"epoch": i, "seed": 0, "loss": 0.7 / (i + 1), "dev_roc_auc": 0.9} for i in range(4)]
        jsonl.write(run.metrics, rows)
    return path


def write_bare(path: pathlib.Path, made) -> pathlib.Path:
    """A run directory with its configuration and these records alone."""
    with run_dir.opened(path, frames.settings(), device="cpu", command=["python", "toy.py"]) as run:
        records.write(run.records, made)
    return path
