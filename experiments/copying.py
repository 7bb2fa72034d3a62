"""Pruthi et al. (2020), translation: attention hidden from the very words that are copied.

    python -m experiments.copying --task all --out runs/copying
    python -m experiments.copying --task reverse --preset quick --out runs/copying

Small recurrent models (Bahdanau) write generated texts again, in the same order, reversed, or with neighbours
swapped; lambda 0, 0.1 and 1 of the hiding term. Recalled of the paper: accuracy stays while the mass falls.
Their decoder is not affine in the attention, so there is no exact mass without training beside it.
"""

import pathlib

from experiments import command
from experiments.request import Size


def main(out: pathlib.Path, task: str = "all", seeds: int = 2, preset: Size = "full") -> None:
    """Train models to copy while they hide what they copy.

    Args:
        out: folder with one folder a task in it: records.csv, debate.csv, debate.html. The same command
            goes on where it was stopped.
        task: copy, reverse or flip; several with commas; all.
        seeds: how many, trained in one program.
        preset: quick trains on few texts, to see that all works.
    """
    # Imported here: --help answers at once, without waiting for jax.
    from experiments import copied

    for name in copied.named(task):
        copied.run(name, out / name, seeds, quick=preset == "quick")


if __name__ == "__main__":
    command.run(main, prog="experiments.copying")
