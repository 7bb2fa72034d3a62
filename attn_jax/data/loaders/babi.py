"""bAbI: numbered story lines; a line with tabs is a question, its answer and its supporting facts.

    1 Mary moved to the bathroom.
    2 John went to the hallway.
    3 Where is Mary? <tab>bathroom<tab>1

Numbers start again at 1 with each story. Every question is an instance: `text` is the story so far,
`text2` the question, `spans` the supporting sentences.
"""

from collections.abc import Iterable, Iterator
from typing import NoReturn

from attn_jax.data.loaders.raw import RawExample
from attn_jax.errors import UserError


def parse(lines: Iterable[tuple[int, str]], labels: tuple[str, ...], source: str) -> Iterator[RawExample]:
    """The instances of one file, given as numbered lines; `source` names it in ids and errors."""
    story: dict[int, str] = {}
    for number, line in lines:
        where = f"{source}, line {number}"
        position, text = _numbered(line, where)
        if position == 1:
            story = {}
        elif position <= max(story, default=0):
            _fail(where, f"sentence {position} does not follow in its story")
        if "\t" in text:
            yield _question(story, text, labels, f"{source}:{number}", where)
            # A question keeps its number free: facts are counted with it.
            continue
        story[position] = text


def _numbered(line: str, where: str) -> tuple[int, str]:
    position, _, text = line.partition(" ")
    if not (position.isascii() and position.isdigit() and len(position) < 7) or not text.strip():
        _fail(where, "a line begins with its number in the story, then a sentence")
    return int(position), text.strip("\r\n ")


def _question(story: dict[int, str], text: str, labels: tuple[str, ...], name: str, where: str) -> RawExample:
    fields = text.split("\t")
    if len(fields) != 3:
        _fail(where, "a question has three fields: question, answer, supporting facts")
    question, answer, facts = fields
    if answer not in labels:
        _fail(where, f"unknown answer {answer!r}, expected one of {', '.join(labels)}")
    if not story or not question.strip():
        _fail(where, "a question needs words and a story before it")
    passage, spans = _passage(story, _facts(facts, story, where))
    return RawExample(name, passage, labels.index(answer), question.strip(), spans, where=where)


def _facts(facts: str, story: dict[int, str], where: str) -> set[int]:
    numbers = facts.split()
    if not all(number.isascii() and number.isdigit() and int(number) in story for number in numbers):
        _fail(where, "the supporting facts must be numbers of earlier sentences")
    return {int(number) for number in numbers}


def _passage(story: dict[int, str], facts: set[int]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The story as one text, and the character spans of the sentences in `facts`."""
    spans, start = [], 0
    for position, sentence in story.items():
        if position in facts:
            spans.append((start, start + len(sentence)))
        start += len(sentence) + 1
    return " ".join(story.values()), tuple(spans)


def _fail(where: str, what: str) -> NoReturn:
    raise UserError(f"{where}: {what}; is this a bAbI file?")
