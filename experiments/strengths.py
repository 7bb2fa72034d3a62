"""How a regulariser gets its strength; imports nothing heavy, as `request`."""

import dataclasses
import pathlib
from typing import Annotated

import tyro

from attn_jax.errors import UserError
from experiments.request import numbered


@dataclasses.dataclass(frozen=True)
class Strengths:
    """Each of the paper's is tried on the dev split, unless something else is asked for."""

    strength: float | None = None
    """of tying, mlm or diversity; without it each of the paper's is tried on the dev split."""
    ablation_seeds: int = 1
    """how many seeds each strength is tried with."""
    ablation_epochs: int | None = None
    """how long each strength is tried, if shorter than the training; the records say so."""
    chosen_in: pathlib.Path | None = None
    """folder with the records of an earlier ablation, such as docs/reproduction/tutek_snajder; its choice is
    taken, and no strength is tried again."""

    def __post_init__(self):
        numbered(self.ablation_seeds, "--ablation-seeds")
        if self.ablation_epochs is not None and self.ablation_epochs < 1:
            raise UserError(f"--ablation-epochs {self.ablation_epochs}: at least 1 epoch is needed.")

    @property
    def seeds(self) -> tuple[int, ...]:
        """Those that each strength is tried with."""
        return numbered(self.ablation_seeds)


USUAL = Strengths()
Choosing = Annotated[Strengths, tyro.conf.arg(name="")]  # on a command line: its fields, without a prefix
