"""Builds the site of any set of runs: one, a whole grid, or gathered records.

    python -m experiments.report runs/quickstart --out site
    python -m experiments.report runs/jw docs/reproduction --out site --figures pdf

Seconds for one run, about a minute for a hundred. Open site/index.html: it needs no server and no network.
"""

import pathlib
from typing import Annotated, Literal

import tyro

from experiments import command

_DOCS = pathlib.Path(__file__).parent.parent / "docs"


def main(
    folders: Annotated[tuple[pathlib.Path, ...], tyro.conf.Positional],
    out: pathlib.Path = pathlib.Path("site"),
    instances: int = 400,
    figures: Literal["none", "pdf", "svg", "png"] = "none",
) -> None:
    """Build a static site that shows runs, their instances, and the documentation.

    Args:
        folders: every records.csv in or below them counts.
        out: folder of the site; one that this command made before is replaced.
        instances: at most so many rows of instances a run, evenly spread.
        figures: also write each figure as a file of this kind, in OUT/figures.
    """
    # Imported here: --help answers at once.
    from attn_jax.report.site import build

    docs = _DOCS if _DOCS.is_dir() else None
    first = build.build(folders, out, limit=instances, docs=docs)
    if figures != "none":
        saved = build.save_figures(folders, out / "figures", figures)
        print(f"Figures: {len(saved)} files in {out / 'figures'}")
    print(f"The site: {first}")


if __name__ == "__main__":
    command.run(main, prog="experiments.report")
