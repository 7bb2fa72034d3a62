"""Which published figures do runs reproduce? Their records beside the cells of the papers' tables.

    python -m experiments.fidelity runs/jw --paper jain_wallace_2019 --out docs/reproduction

Seconds. Prints the cells that were run and what share of each metric is reproduced, beside the share
that the best single constant would reach; with --out, every cell goes into fidelity.html and .md.
"""

import pathlib
from typing import Annotated, Literal

import tyro

from experiments import command

Paper = Literal["jain_wallace_2019", "tutek_snajder_2020", "vashishth_2019"]


def main(
    folders: Annotated[tuple[pathlib.Path, ...], tyro.conf.Positional],
    paper: Paper | None = None,
    out: pathlib.Path | None = None,
) -> None:
    """Hold the records of runs against the published tables.

    Args:
        folders: every records.csv in or below them counts.
        paper: only this paper's tables.
        out: folder for fidelity.html and fidelity.md.
    """
    # Imported here: --help answers at once.
    from attn_jax.report import document, fidelity_document
    from attn_jax.results import fidelity, pool

    cells = fidelity.cells(pool.read(folders), paper or "")
    written = document.write(fidelity_document.document(cells), out) if out else []
    print(document.plain(fidelity_document.document(cells, everything=False)), end="")
    for path in written:
        print(f"Written: {path}")


if __name__ == "__main__":
    command.run(main, prog="experiments.fidelity")
