"""Differences between finished runs of Tutek & Snajder's models that were judged on the same instances.

    python -m experiments.paired runs/ts

Seconds. Writes a folder a pair beside the two runs, with their F1 and drops, one minus the other's, and an
interval of the difference itself: regularised models minus their base, residual minus concat, several layers
minus one. `experiments.tutek_snajder` does so by itself once its cells are done.
"""

import dataclasses
import pathlib
import sys
from collections.abc import Collection, Iterator
from typing import Annotated

import tyro

from attn_jax.errors import UserError
from attn_jax.results import config, examples, pairing, records, run_dir
from attn_jax.results.run_dir import RunDir
from attn_jax.results.tutek_snajder import Cell
from experiments import command


def main(folders: Annotated[tuple[pathlib.Path, ...], tyro.conf.Positional]) -> None:
    """Pair the runs in each folder.

    Args:
        folders: each with one folder a cell in it, as experiments.tutek_snajder makes it.
    """
    if not folders:
        raise UserError("name at least one folder that experiments.tutek_snajder wrote to.")
    absent = [folder for folder in folders if not folder.is_dir()]
    if absent:
        raise UserError(f"there is no folder {absent[0]}; name the folders that runs were written to.")
    for folder in folders:
        made = run(folder)
        print("\n".join(f"Written: {path}" for path in made) or f"{folder}: no two runs to compare.")


def run(folder: pathlib.Path, made: Collection[pathlib.Path] | None = None) -> list[pathlib.Path]:
    """The records of every pair of finished runs in the folder, each written once.

    With `made`, only of pairs that one of these runs is in: what others made is theirs to pair.
    """
    found = dict(_finished(folder))
    return [
        _written(folder, cell, other, run, found[beside])
        for cell, run in found.items()
        for other, beside in _others(cell)
        if beside in found and (made is None or {run.path, found[beside].path} & {*made})
    ]


def _finished(folder: pathlib.Path) -> Iterator[tuple[Cell, RunDir]]:
    """Cells with their runs; caveats do not tell runs apart. No other paper's cells have layers."""
    for path in sorted(folder.glob("*/config.json")):
        run, fields = RunDir(path.parent), config.read(path)["settings"].get("cell", {})
        if "layers" in fields and run.examples.exists() and run.records.exists():
            yield Cell(**fields | {"caveat": ""}), run


def _others(cell: Cell) -> Iterator[tuple[str, Cell]]:
    """What a cell is compared with, and the name of that in its records."""
    if cell.variant != "base":
        yield "base", dataclasses.replace(cell, variant="base")
    if cell.variant == "residual":
        yield "concat", dataclasses.replace(cell, variant="concat")
    if cell.layers > 1:
        yield "one_layer", dataclasses.replace(cell, layers=1)


def _written(folder: pathlib.Path, cell: Cell, other: str, run: RunDir, beside: RunDir) -> pathlib.Path:
    settings = [config.read(one.config)["settings"] for one in (run, beside)]
    seeds = sorted(set(settings[0]["seeds"]) & set(settings[1]["seeds"]))
    depends = {"minus": other, "runs": settings, "seeds": seeds}
    place = folder / f"{run.path.name}-minus-{other}"
    with run_dir.opened(place, depends, device="none", command=sys.argv) as made:
        if not made.records.exists():
            own, others = examples.read(run.examples), examples.read(beside.examples)
            named = dataclasses.replace(cell, caveat=settings[0]["cell"]["caveat"])
            records.write(made.records, pairing.records_of(own, others, named, other))
    return made.records


if __name__ == "__main__":
    command.run(main, prog="experiments.paired")
