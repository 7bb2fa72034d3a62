"""From raw text to tokens, by the rules that a spec states."""

import dataclasses
import functools
import re
from collections.abc import Callable
from typing import Literal

from attn_jax.data.examples import TextExample
from attn_jax.data.loaders.raw import RawExample
from attn_jax.errors import UserError

NUMBER = "qqq"
LARGEST_MEMO = 2**20

# The tokens of a chunk of text without blanks, and the offset of each in it.
Cut = tuple[tuple[str, ...], tuple[int, ...]]


Tokeniser = Literal["spacy", "whitespace", "words", "alphanumeric"]


@dataclasses.dataclass(frozen=True)
class TextRules:
    """How a corpus's text becomes tokens (J&W, section 3).

    `spacy`: the rules of spaCy's blank English pipeline; `whitespace`: the text is published tokenised;
    `words`: runs of word characters, and each punctuation mark by itself; `alphanumeric`: runs of
    letters and digits, punctuation dropped.
    """

    tokeniser: Tokeniser = "spacy"
    lower: bool = True
    qqq: bool = True  # a token with a digit becomes `qqq`
    qqq_except: str | None = None  # but not one that begins so
    strip: tuple[str, ...] = ()  # markup that is no text; each occurrence becomes blanks
    drop_blank: bool = False  # a blank text is dropped; otherwise it is an error of the file


def tokenise(text: str, rules: TextRules) -> tuple[str, ...]:
    """The tokens of a text. None of them holds a blank."""
    cut = _cutter(rules)
    return tuple(token for chunk in _stripped(text, rules).split() for token in cut(chunk)[0])


def offsets(text: str, rules: TextRules) -> tuple[int, ...]:
    """Where in `text` each of its tokens begins."""
    cut, chunks = _cutter(rules), re.finditer(r"\S+", _stripped(text, rules))
    return tuple(chunk.start() + start for chunk in chunks for start in cut(chunk.group())[1])


def _stripped(text: str, rules: TextRules) -> str:
    for markup in rules.strip:
        # As many blanks as characters: the offsets of all else stay.
        text = text.replace(markup, " " * len(markup))
    return text


@functools.cache
def _cutter(rules: TextRules) -> Callable[[str], Cut]:
    """Cuts a chunk, remembering it: no rule looks beyond a blank, and text repeats its chunks."""
    cut, memo = _CUTTERS[rules.tokeniser](), {}

    def remembered(chunk: str) -> Cut:
        found = memo.get(chunk)
        if found is None:
            if len(memo) >= LARGEST_MEMO:
                memo.clear()
            pieces = cut(chunk)
            tokens = tuple(normalise(token, rules) for token, _ in pieces)
            found = memo[chunk] = tokens, tuple(start for _, start in pieces)
        return found

    return remembered


def _spacy() -> Callable[[str], list[tuple[str, int]]]:
    # spaCy takes a second to import and many corpora do without it.
    import spacy

    tokenizer = spacy.blank("en").tokenizer
    return lambda chunk: [(token.text, token.idx) for token in tokenizer(chunk)]


def _pattern(pattern: str) -> Callable[[str], list[tuple[str, int]]]:
    compiled = re.compile(pattern)
    return lambda chunk: [(match.group(), match.start()) for match in compiled.finditer(chunk)]


_CUTTERS = {
    "spacy": _spacy,
    "whitespace": lambda: _pattern(r"\S+"),
    "words": lambda: _pattern(r"\w+|[^\w\s]"),
    "alphanumeric": lambda: _pattern(r"[^\W_]+"),
}


def normalise(token: str, rules: TextRules) -> str:
    """Lower case and `qqq`, as the rules say."""
    spared = rules.qqq_except is not None and token.startswith(rules.qqq_except)
    if rules.qqq and not spared and any(character.isdigit() for character in token):
        return NUMBER
    return token.lower() if rules.lower else token


def tidy(raw: RawExample, rules: TextRules) -> TextExample | None:
    """The tokenised instance, or None if no token is left of its text.

    A token is part of the rationale if it begins inside one of the spans.

    Raises:
        UserError: the published text is blank, and the rules do not drop blank texts.
    """
    blank = not raw.text.strip() or (raw.text2 is not None and not raw.text2.strip())
    if blank and not rules.drop_blank:
        raise UserError(f"{raw.where or raw.id}: the text is empty; remove the row or fill it.")
    tokens = tokenise(raw.text, rules)
    question = None if raw.text2 is None else tokenise(raw.text2, rules)
    if not tokens or question == ():
        return None
    rationale = None if raw.spans is None else _inside(offsets(raw.text, rules), raw.spans)
    return TextExample(raw.id, tokens, raw.label, question, rationale, choices=raw.choices)


def _inside(starts: tuple[int, ...], spans: tuple[tuple[int, int], ...]) -> tuple[bool, ...]:
    return tuple(any(low <= start < high for low, high in spans) for start in starts)
