import json

import pytest

from attn_jax.data.load import load, spec_of
from attn_jax.errors import UserError


def jsonl(rows):
    return "\n".join(json.dumps(row) for row in rows)


ROWS = [
    {"text": f"A {'good' if i % 2 else 'bad'} film {i}", "label": ["neg", "pos"][i % 2]} for i in range(40)
]


@pytest.fixture
def own(put, tmp_path):
    return lambda name, content: load(str(put(name, content)), cache_dir=tmp_path / "cache")


def test_json_lines(own):
    corpus = own("mine.jsonl", jsonl(ROWS))
    assert (corpus.name, corpus.labels) == ("own/mine", ("neg", "pos"))
    assert [len(split) for _, split in corpus.splits()] == [28, 4, 8]
    assert {example.tokens for example in corpus.train} == {
        ("a", "good", "film", "qqq"),
        ("a", "bad", "film", "qqq"),
    }
    assert all((example.tokens[1] == "good") == example.label for example in corpus.train)


@pytest.mark.parametrize(("name", "mark"), [("m.csv", ","), ("m.tsv.gz", "\t")])
def test_tables_with_all_columns(own, name, mark):
    header = mark.join(["split", "label", "text", "text2", "rationale"])
    rows = [
        "train 10 fine_film why 0:4",
        "train 9 dull why 0:4",
        "valid 9 dull_one why 5:8",
        "test 10 ok why 0:1",
    ]
    content = "\n".join([header, *(row.replace(" ", mark).replace("_", " ") for row in rows)])
    corpus = own(name, content)
    assert corpus.labels == ("9", "10")
    assert corpus.paired
    assert [[example.rationale for example in split] for _, split in corpus.splits()] == [
        [(True, False), (True,)],
        [(False, True)],
        [(True,)],
    ]
    assert corpus.dev[0].question == ("why",)


def test_rationale_in_json(own):
    rows = [{**row, "rationale": [[2, 5]]} for row in ROWS]
    assert own("r.jsonl", jsonl(rows)).train[0].rationale == (False, True, False, False)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([ROWS[0]], "needs at least two"),
        (ROWS[:4], "too few rows"),
        ([*ROWS[:2], {**ROWS[0], "split": "train"}], "some rows have a split"),
        ([{**row, "split": "dev"} for row in ROWS], "no row is in the split train"),
        ([{**ROWS[0], "split": "later"}], "line 1: unknown split 'later'"),
        ([*ROWS[:2], {"text": " ", "label": "pos"}], "line 3: the text is empty"),
        ([*ROWS[:2], {"text": "x"}], "line 3: field 'label' is missing"),
        ([ROWS[0], {**ROWS[1], "rationale": [[3, 999]]}], "line 2: rationale must be spans"),
        ([ROWS[0], {**ROWS[1], "rationale": "3-5"}], "line 2: rationale must be spans"),
        ([ROWS[0], {**ROWS[1], "rationale": [[1.5, 2]]}], "line 2: rationale must be spans"),
        ([ROWS[0], {**ROWS[1], "text2": "more"}], "line 1: field 'text2' is missing"),
    ],
)
def test_bad_files_are_named_and_leave_nothing_behind(own, tmp_path, rows, message):
    with pytest.raises(UserError, match=message):
        own("bad.jsonl", jsonl(rows))
    assert message == "too few rows" or not list((tmp_path / "cache").glob("*"))


def test_a_missing_file(tmp_path):
    with pytest.raises(UserError, match=r"none\.csv: cannot be read"):
        load(str(tmp_path / "none.csv"))


def test_a_copy_of_a_published_corpus_never_takes_its_name(put):
    assert spec_of(str(put("sst.jsonl", jsonl(ROWS)))).name == "own/sst"
