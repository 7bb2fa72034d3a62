import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_jax.data.loaders.raw import RawExample
from attn_jax.data.text import TextRules, offsets, tidy, tokenise
from attn_jax.errors import UserError

PLAIN = TextRules(lower=False, qqq=False)
ENGLISH = spacy.blank("en").tokenizer


CHUNKS = [
    "Don't",
    "we're",
    "U.S.",
    "3pm",
    "(e.g.",
    "http://a.b/c?d",
    "end...",
    "\n",
    "\xa0",
    "10,000$",
    ":)",
    "é",
]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(CHUNKS)))
def test_spacy_cut_by_chunk_is_spacy_on_the_whole_text(words):
    text = "  ".join(words)
    expected = [(token.text, token.idx) for token in ENGLISH(text) if not token.is_space]
    assert list(zip(tokenise(text, PLAIN), offsets(text, PLAIN), strict=True)) == expected


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (TextRules(), ["it", "'s", "a", "qqq", "%", "win", "(", "really", "!", ")", "."]),
        (
            TextRules(qqq=False, lower=False),
            ["It", "'s", "a", "3rd", "%", "win", "(", "Really", "!", ")", "."],
        ),
        (TextRules("whitespace"), ["it's", "a", "qqq", "%", "win", "(really!)."]),
        (TextRules("words"), ["it", "'", "s", "a", "qqq", "%", "win", "(", "really", "!", ")", "."]),
        (TextRules("alphanumeric"), ["it", "s", "a", "qqq", "win", "really"]),
        (TextRules("whitespace", strip=("(Really!).",)), ["it's", "a", "qqq", "%", "win"]),
    ],
)
def test_rules(rules, expected):
    assert list(tokenise("It's a  3rd %\nwin (Really!).", rules)) == expected


def test_an_entity_keeps_its_number():
    assert tokenise("@entity12 has 12", TextRules("whitespace", qqq_except="@entity")) == (
        "@entity12",
        "has",
        "qqq",
    )


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60), st.sampled_from(["spacy", "whitespace", "words", "alphanumeric"]))
def test_every_token_stands_where_its_offset_says_and_holds_no_blank(text, tokeniser):
    rules = TextRules(tokeniser, lower=False, qqq=False)
    tokens, starts = tokenise(text, rules), offsets(text, rules)
    assert len(tokens) == len(starts)
    for token, start in zip(tokens, starts, strict=True):
        assert text[start : start + len(token)] == token
        assert token.split() == [token]


def test_spans_become_flags():
    raw = RawExample("x", "a <br />fine film", 1, spans=((8, 12),))
    example = tidy(raw, TextRules(strip=("<br />",)))
    assert example.tokens == ("a", "fine", "film")
    assert example.rationale == (False, True, False)


def test_blank_text_is_an_error_of_the_file_unless_the_rules_drop_it():
    raw = RawExample("x", " \n", 1, where="f.csv, line 3")
    with pytest.raises(UserError, match=r"f\.csv, line 3: the text is empty"):
        tidy(raw, TextRules())
    assert tidy(raw, TextRules(drop_blank=True)) is None
    assert tidy(RawExample("x", "?!", 1), TextRules("alphanumeric")) is None
    with pytest.raises(UserError, match="empty"):
        tidy(RawExample("x", "words", 1, text2=" "), TextRules())
