"""What the command line asks for; imports nothing heavy, so that --help answers at once."""

import dataclasses
import pathlib
from typing import Literal

Settings = Literal["paper", "released"]
Size = Literal["quick", "full"]


@dataclasses.dataclass(frozen=True)
class Request:
    """What the command line asks for, one data set at a time."""

    dataset: str
    data_dir: pathlib.Path | None = None
    vectors: pathlib.Path | None = None
    seeds: int = 1
    preset: Size = "full"
    settings: Settings = "paper"
    limit: int | None = None
