"""The figures of one harness, as JSON under docs/reliability; the page is made of these alone."""

import dataclasses
import json
import pathlib
from typing import Any

from attn_jax.results import atomic

ROOT = pathlib.Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "reliability"


@dataclasses.dataclass(frozen=True)
class Section:
    """What a harness found, ready for a reader."""

    name: str
    command: str
    summary: str  # the figure that counts, in a sentence
    rows: list[dict[str, Any]]  # a table, all rows with the same columns

    def markdown(self) -> str:
        """The command, the sentence and the table."""
        lines = [f"`{self.command}`", "", self.summary]
        if self.rows:
            names = list(self.rows[0])
            lines += ["", _line(names), _line(["---"] * len(names))]
            lines += [_line([row[name] for name in names]) for row in self.rows]
        return "\n".join(lines) + "\n"


def write(section: Section, folder: pathlib.Path = FOLDER) -> None:
    """Puts the section where `reliability.page` finds it, and says so."""
    path = folder / f"{section.name}.json"
    atomic.write_text(path, json.dumps(dataclasses.asdict(section), indent=1, ensure_ascii=False) + "\n")
    print(section.markdown())
    print(f"Written: {path}; `python -m reliability.page` puts it into docs/reliability.md")


def read(name: str, folder: pathlib.Path = FOLDER) -> Section | None:
    """The section of that name, None if the harness was not run."""
    path = folder / f"{name}.json"
    return Section(**json.loads(path.read_text(encoding="utf-8"))) if path.exists() else None


def _line(cells: list[Any]) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
