"""From raw text to tokens, by the rules that a spec states."""

import dataclasses
import functools
import re
from collections.abc import Callable, Iterator
from typing import Literal

from attn_jax.data.examples import TextExample
from attn_jax.data.loaders.raw import RawExample
from attn_jax.errors import UserError

Tokeniser = Literal["spacy", "whitespace", "words", "alphanumeric"]
NUMBER = "qqq"

# A token and the offset of its first character.
Token = tuple[str, int]


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


@functools.cache
def _spacy() -> Callable[[str], Iterator[Token]]:
    # spaCy takes a second to import and many corpora do without it.
    import spacy

    tokenizer = spacy.blank("en").tokenizer
    return lambda text: ((token.text, token.idx) for token in tokenizer(text) if not token.is_space)


def _pattern(pattern: str) -> Callable[[str], Iterator[Token]]:
    compiled = re.compile(pattern)
    return lambda text: ((match.group(), match.start()) for match in compiled.finditer(text))


_TOKENISERS: dict[str, Callable[[], Callable[[str], Iterator[Token]]]] = {
    "spacy": _spacy,
    "whitespace": functools.cache(lambda: _pattern(r"\S+")),
    "words": functools.cache(lambda: _pattern(r"\w+|[^\w\s]")),
    "alphanumeric": functools.cache(lambda: _pattern(r"[^\W_]+")),
}


def tokenise(text: str, rules: TextRules) -> tuple[list[str], list[int]]:
    """Tokens, normalised, and the offset of each in `text`."""
    tokens, starts = [], []
    for markup in rules.strip:
        # As many blanks as characters: the offsets of all else stay.
        text = text.replace(markup, " " * len(markup))
    for token, start in _TOKENISERS[rules.tokeniser]()(text):
        tokens.append(normalise(token, rules))
        starts.append(start)
    return tokens, starts


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
    tokens, starts = tokenise(raw.text, rules)
    question = None if raw.text2 is None else tuple(tokenise(raw.text2, rules)[0])
    if not tokens or question == ():
        return None
    rationale = None if raw.spans is None else _inside(starts, raw.spans)
    return TextExample(raw.id, tuple(tokens), raw.label, question, rationale, raw.choices)


def _inside(starts: list[int], spans: tuple[tuple[int, int], ...]) -> tuple[bool, ...]:
    return tuple(any(low <= start < high for low, high in spans) for start in starts)
