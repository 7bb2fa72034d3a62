"""The verdict table of the debate: what each question came to, and which paper would have said so.

A question (`Ask`) names the statistic that answers it, beside it a null and a ceiling where it has them,
and two lines: below the first the number is what one side predicted, above the second what the other did.
A side is named only if the whole 95 % interval lies beyond its line, and only of a model that has learned.
"""

import csv
import dataclasses
import io
import json
import pathlib
from collections.abc import Iterable, Mapping, Sequence

from attn_jax.results import atomic, recalled
from attn_jax.results.facts import bounds
from attn_jax.results.records import OURS, Record

_ONCE = "majority_share"  # every run's records have it once, its settings in the place of a variant


@dataclasses.dataclass(frozen=True, kw_only=True)
class Ask:
    """One question of the debate. Statistics are named `metric`, or `variant/metric`."""

    test: str  # as `--tests` names it
    question: str
    answer: str  # the statistic
    measure: str  # what that number is, in words
    low: str = ""  # who predicted a number below `little`, and what that means
    high: str = ""  # who predicted one of `much` and more
    little: float = 0.0
    much: float = 0.0
    null: str = ""  # the same statistic where there is nothing to find
    ceiling: str = ""  # the same statistic where all there is has been found
    beside: Mapping[str, str] = dataclasses.field(default_factory=dict)  # words -> further statistic
    limits: tuple[str, ...] = ()
    needs: str = ""  # what a corpus or model must have for this to be asked


@dataclasses.dataclass(frozen=True)
class Row:
    """One line of the table, ready for a file; None is an empty cell."""

    test: str
    question: str
    measure: str
    value: float
    ci_low: float | None
    ci_high: float | None
    n: int | None
    seeds: int | None
    null: float | None
    ceiling: float | None
    beside: str
    recalled: str  # what a paper is recalled to print there, unverified
    predicted_by: str
    lines: str  # where the two sides begin
    limits: tuple[str, ...]
    caveat: str


COLUMNS = tuple(field.name for field in dataclasses.fields(Row))


def rows(records: Iterable[Record], asks: Sequence[Ask]) -> list[Row]:
    """A row a question that was asked and answered, in the order of the questions."""
    found = {name: record for name, record in _named(records) if not record.label}
    return [_row(ask, found) for ask in asks if ask.answer in found]


def unanswered(records: Iterable[Record], asks: Sequence[Ask], tests: Iterable[str]) -> list[Ask]:
    """The questions of these tests that the model or its corpus gave no answer to."""
    found, asked = {name for name, _ in _named(records)}, set(tests)
    return [ask for ask in asks if ask.test in asked and ask.answer not in found]


def write(folder: pathlib.Path, table: Sequence[Row]) -> None:
    """`debate.csv` and `debate.json` in the folder, each whole or not there."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    lines = [dataclasses.asdict(row) for row in table]
    writer.writerows(line | {"limits": " ".join(line["limits"])} for line in lines)
    atomic.write_text(folder / "debate.csv", text.getvalue())
    atomic.write_text(folder / "debate.json", json.dumps(lines, indent=1, allow_nan=False) + "\n")


def _named(records: Iterable[Record]) -> list[tuple[str, Record]]:
    """Our own with what an `Ask` calls each; the settings of the whole run are no variant of a statistic."""
    own = [record for record in records if record.paper == OURS]
    settings = {"", *(record.variant for record in own if record.metric == _ONCE)}
    return [
        (record.metric if record.variant in settings else f"{record.variant}/{record.metric}", record)
        for record in own
    ]


def _row(ask: Ask, found: Mapping[str, Record]) -> Row:
    record = found[ask.answer]
    null, ceiling = (found[name].value if name in found else None for name in (ask.null, ask.ceiling))
    known = [(words, found[name].value) for words, name in ask.beside.items() if name in found]
    return Row(
        test=ask.test,
        question=ask.question,
        measure=ask.measure,
        value=record.value,
        ci_low=record.ci_low,
        ci_high=record.ci_high,
        n=record.n,
        seeds=record.seeds,
        null=null,
        ceiling=ceiling,
        beside="; ".join(f"{words} {value:.3f}" for words, value in known),
        recalled=recalled.beside(record),
        predicted_by=_predicted(ask, record, learned=not _at_chance(found)),
        lines=_lines(ask),
        limits=ask.limits,
        caveat=record.caveat,
    )


def _at_chance(found: Mapping[str, Record]) -> bool:
    """Whether the model on trial may be no better than the largest class: what it attends to says nothing."""
    if "accuracy" not in found or "majority_share" not in found:
        return False
    return bounds(found["accuracy"])[0] <= found["majority_share"].value


def _predicted(ask: Ask, record: Record, *, learned: bool) -> str:
    """Whose side the whole interval is on."""
    if not ask.low and not ask.high:
        return ""
    if not learned:
        return "neither side: the model may be no better than the largest class"
    low, high = bounds(record)
    if high < ask.little:
        return ask.low
    if low >= ask.much:
        return ask.high
    return "neither side: between the lines, or too wide to tell"


def _lines(ask: Ask) -> str:
    if not ask.low and not ask.high:
        return ""
    return f"below {ask.little:g} / from {ask.much:g}"
