"""Which of the papers' claims hold, on their own printed figures and on the records of runs?

    python -m experiments.claims runs/jw --paper jain_wallace_2019 --out docs/reproduction

Seconds. Prints each claim, the figures behind it with their intervals, and both verdicts: holds, does
not hold, undecided (the interval crosses the line), not run; with --out also claims.html and .md.
"""

import pathlib
from typing import Annotated

import tyro

from experiments import command
from experiments.fidelity import Paper


def main(
    folders: Annotated[tuple[pathlib.Path, ...], tyro.conf.Positional],
    paper: Paper | None = None,
    out: pathlib.Path | None = None,
) -> None:
    """Put the papers' claims to the published figures and to runs.

    Args:
        folders: every records.csv in or below them counts.
        paper: only this paper's claims.
        out: folder for claims.html and claims.md.
    """
    # Imported here: --help answers at once.
    from attn_jax.report import claims_document, document
    from attn_jax.results import claims, pool

    made = claims_document.document(claims.judged(pool.read(folders), paper or ""))
    written = document.write(made, out) if out else []
    print(document.plain(made), end="")
    for path in written:
        print(f"Written: {path}")


if __name__ == "__main__":
    command.run(main, prog="experiments.claims")
