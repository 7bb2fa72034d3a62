"""Mutants that compute the same as the original: no test can notice them, and each says why."""

import csv
import pathlib
from typing import NamedTuple

from reliability.mutation import Mutant

PATH = pathlib.Path(__file__).with_name("equivalents.csv")


class Name(NamedTuple):
    """Which mutant is meant, whatever the number of its line."""

    module: str
    text: str  # of the line
    what: str
    nth: int


def named(module: str, mutant: Mutant) -> Name:
    """The name of a module's mutant."""
    return Name(module, mutant.text, mutant.what, mutant.nth)


def read(path: pathlib.Path = PATH) -> dict[Name, str]:
    """The reason of each, by name."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {Name(row["module"], row["line"], row["what"], int(row["nth"])): row["reason"] for row in rows}
