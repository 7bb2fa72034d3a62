"""What the command line asks for; imports nothing heavy, so that --help answers at once."""

import dataclasses
import pathlib
from typing import Literal

from attn_jax.errors import UserError

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

    def __post_init__(self):
        if self.seeds < 1:
            raise UserError(f"--seeds {self.seeds}: at least 1 seed is needed.")
        if self.limit is not None and self.limit < 1:
            raise UserError(f"--limit {self.limit}: at least 1 test instance is needed.")
