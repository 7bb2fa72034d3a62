"""What a run tries that the paper does not do, under a name: it may explain a figure, and answers none.

Each field is a flag of every command that takes probes. Imports nothing heavy, as `request`.
"""

import dataclasses
import re
from typing import Annotated

import tyro

from attn_jax.data.text import Tokeniser
from attn_jax.errors import UserError


@dataclasses.dataclass(frozen=True)
class Probe:
    """Nothing, until it has a name."""

    name: Annotated[str, tyro.conf.arg(name="probe")] = ""
    """what this run tries, such as another number of epochs or the flags below, in a-z, 0-9 and _; its
    records bear the name and are held against no published figure."""
    l2: float | None = None
    """strength of the regularisation instead of the paper's; with --probe."""
    frozen: bool = False
    """keep the word vectors as they were before training; with --probe."""
    alike: bool = False
    """draw the words that the file of vectors lacks with the mean and spread of those that it has, not
    N(0, 1); with --probe."""
    blank: bool = False
    """start the words that the file of vectors lacks at 0, not N(0, 1); with --probe."""
    last: bool = False
    """examine each model as its last epoch left it, not its best on dev; with --probe."""
    tokeniser: Tokeniser | None = None
    """spacy, whitespace, words (and marks) or alphanumeric (words alone), instead of the rule of the data
    set; with --probe."""
    fill: int | None = None
    """every text up to so many words, with one for nothing that is read and attended to like others, as by
    code that masks no padding; with --probe."""

    def __post_init__(self):
        if self.name and not re.fullmatch(r"[a-z0-9_]{1,40}", self.name):
            raise UserError(f"--probe {self.name!r}: use a-z, 0-9 and _, at most 40 of them.")
        if self.l2 is not None and not 0 <= self.l2 < 1:
            raise UserError(f"--l2 {self.l2:g}: 0 or more is needed, and less than 1.")
        if self.fill is not None and self.fill < 1:
            raise UserError(f"--fill {self.fill}: at least 1 word is needed.")
        if self.alike and self.blank:
            raise UserError("--alike and --blank: words can start in one way only, leave one of them out.")
        if self._flags() and not self.name:
            flag = self._flags()[0]
            raise UserError(f"{flag} is not the paper's way: name what it tries with --probe.")

    @property
    def unknown(self) -> str:
        """How the words start that a file of vectors lacks, if not as usual."""
        return "drawn alike" if self.alike else "blank" if self.blank else ""

    @property
    def notes(self) -> list[str]:
        """What it tries, for the caveat of every record; what changes the corpus is said there."""
        notes = [f"a probe: {self.name.replace('_', ' ')}"] if self.name else []
        if self.tokeniser:
            notes.append(f"words cut by the rule {self.tokeniser}")
        if self.frozen:
            notes.append("word vectors frozen")
        if self.last:
            notes.append("the last epoch, not the best on dev")
        if self.l2 is not None:
            notes.append(f"L2 {self.l2:g}")
        return notes

    def _flags(self) -> list[str]:
        """The flags that were given, as on the command line."""
        given = dataclasses.asdict(self) | {"name": None}
        return [
            f"--{field}" if value is True else f"--{field} {value}"
            for field, value in given.items()
            if value is not None and value is not False
        ]


NOTHING = Probe()
Probing = Annotated[Probe, tyro.conf.arg(name="")]  # on a command line: its fields, without a prefix
