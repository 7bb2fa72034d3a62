"""What the command line asks for; imports nothing heavy, so that --help answers at once."""

import dataclasses
import pathlib
from typing import Literal

from attn_jax.errors import UserError
from experiments.probe import NOTHING, Probe

Settings = Literal["paper", "released"]
Size = Literal["quick", "full"]
Precision = Literal["float32", "bfloat16"]
MOST_SEEDS = 1000


def numbered(seeds: int, flag: str = "--seeds") -> tuple[int, ...]:
    """The seeds 0, 1, ..., as many as were asked for."""
    if not 1 <= seeds <= MOST_SEEDS:
        raise UserError(f"{flag} {seeds}: at least 1 seed is needed, at most {MOST_SEEDS:,} can be.")
    return tuple(range(seeds))


@dataclasses.dataclass(frozen=True)
class Request:
    """What the command line asks for, one data set at a time."""

    dataset: str
    data_dir: pathlib.Path | None = None
    vectors: pathlib.Path | None = None
    seeds: int = 1
    preset: Size = "full"
    settings: Settings | Literal["later"] = "paper"  # later: of code that T&S published after the paper
    limit: int | None = None
    train_limit: int | None = None
    epochs: int | None = None
    precision: Precision = "float32"  # of the encoders
    probe: Probe = NOTHING

    @property
    def variant(self) -> str:
        """What tells its records from those that published cells are held against; empty for the paper's."""
        settings = "" if self.settings == "paper" else self.settings
        half = "bfloat16" if self.precision == "bfloat16" else ""
        return "_".join(filter(None, (settings, half, self.probe.name)))

    def __post_init__(self):
        numbered(self.seeds)
        if self.probe.unknown and not self.vectors:
            raise UserError("--alike and --blank need --vectors: they are of words that the file lacks.")
        if self.limit is not None and self.limit < 1:
            raise UserError(f"--limit {self.limit}: at least 1 test instance is needed.")
        if self.train_limit is not None and self.train_limit < 10:
            raise UserError(f"--train-limit {self.train_limit}: at least 10 train instances are needed.")
        if self.epochs is not None and self.epochs < 1:
            raise UserError(f"--epochs {self.epochs}: at least 1 epoch is needed.")


@dataclasses.dataclass(frozen=True)
class Altering:
    """What Vashishth's tests do to attention, and where their runs lie; for models of every family."""

    out: pathlib.Path
    alter: tuple[str, ...]  # at inference
    train: tuple[str, ...]  # in training and at inference
    levels: bool = False  # train a HAN also with either level altered alone
    weights: pathlib.Path | None = None  # folder of the BERT that is fine-tuned
    hidden: int | None = None  # states a direction, instead of the usual number

    def __post_init__(self):
        if self.hidden is not None and self.hidden < 1:
            raise UserError(f"--hidden {self.hidden}: at least 1 state is needed.")

    @property
    def probe(self) -> str:
        """What is tried that no published cell is held against; "" for the usual."""
        return str(self.hidden or "")

    def folder(self, name: str) -> pathlib.Path:
        """Where a run of this name lies; the name of a user's own corpus holds a slash."""
        return self.out / name.replace("/", "-")
