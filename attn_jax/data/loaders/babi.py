"""bAbI: numbered story lines; a line with tabs is a question, its answer and its supporting facts.

    1 Mary moved to the bathroom.
    2 John went to the hallway.
    3 Where is Mary? <tab>bathroom<tab>1

Numbers start again at 1 with each story. Every question is an instance: `text` is the story so far,
`text2` the question, `spans` the supporting sentences.
"""

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from attn_jax.data.loaders.raw import LabelIds, RawExample, label_id
from attn_jax.data.loaders.reading import lines
from attn_jax.errors import UserError


@dataclasses.dataclass(frozen=True)
class Babi:
    """The original format, published files and our own."""

    def read(self, files: Sequence[Path], labels: LabelIds) -> Iterator[RawExample]:
        """One instance a question."""
        for path in files:
            yield from parse(lines(path), labels, str(path))


def parse(numbered: Iterable[tuple[int, str]], labels: LabelIds, source: str) -> Iterator[RawExample]:
    """The instances of one file, given as numbered lines; `source` names it in ids and errors."""
    story: dict[int, str] = {}
    latest = 0
    for number, line in numbered:
        where = f"{source}, line {number}"
        position, text = _numbered(line, where)
        if position == 1:
            story, latest = {}, 0
        if position != latest + 1:
            _fail(where, f"sentence {position} does not follow sentence {latest} of its story")
        latest = position
        if "\t" not in text:
            story[position] = text
            continue
        example = _question(story, text, labels, f"{Path(source).name}:{number}", where)
        if example is not None:
            yield example


def _numbered(line: str, where: str) -> tuple[int, str]:
    position, _, text = line.partition(" ")
    if not (position.isascii() and position.isdigit() and len(position) < 7) or not text.strip():
        _fail(where, "a line begins with its number in the story, then a sentence")
    return int(position), text.strip(" ")


def _question(story: dict[int, str], text: str, labels: LabelIds, name: str, where: str) -> RawExample | None:
    fields = text.split("\t")
    if len(fields) != 3:
        _fail(where, "a question has three fields: question, answer, supporting facts")
    question, answer, facts = fields
    if not story or not question.strip():
        _fail(where, "a question needs words and a story before it")
    label = label_id(labels, answer, where)
    passage, spans = _passage(story, _facts(facts, story, where))
    return None if label is None else RawExample(name, passage, label, question.strip(), spans, where=where)


def _facts(facts: str, story: dict[int, str], where: str) -> set[int]:
    known = {str(position): position for position in story}
    if unknown := [fact for fact in facts.split() if fact not in known]:
        _fail(where, f"supporting fact {unknown[0][:20]!r} is no earlier sentence of the story")
    return {known[fact] for fact in facts.split()}


def _passage(story: dict[int, str], facts: set[int]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The story as one text, and the character spans of the sentences in `facts`."""
    spans, start = [], 0
    for position, sentence in story.items():
        if position in facts:
            spans.append((start, start + len(sentence)))
        start += len(sentence) + 1
    return " ".join(story.values()), tuple(spans)


def _fail(where: str, what: str) -> NoReturn:
    raise UserError(f"{where}: {what}; check that this is a bAbI file.")
