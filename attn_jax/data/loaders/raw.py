"""What every loader yields: an instance as published, before any preparation."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class RawExample:
    """One instance. Spans are (start, end) character offsets into `text`."""

    id: str
    text: str
    label: int
    text2: str | None = None
    spans: tuple[tuple[int, int], ...] | None = None  # the evidence, human or simulated
    choices: tuple[int, ...] | None = None
    where: str = ""  # file and line, for the sentence that says what is wrong with it
