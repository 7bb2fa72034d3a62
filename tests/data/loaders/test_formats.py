"""Each published format on a few rows that the test writes itself, and what is wrong with bad ones."""

import json

import pytest

from attn_jax.data.loaders.aligned import Aligned
from attn_jax.data.loaders.babi import Babi
from attn_jax.data.loaders.cnn import Cnn
from attn_jax.data.loaders.documents import Documents
from attn_jax.data.loaders.eraser import Eraser
from attn_jax.data.loaders.jsonlines import JsonLines
from attn_jax.data.loaders.labelled_lines import LabelledLines
from attn_jax.data.loaders.mimic import Mimic
from attn_jax.data.loaders.table import Table
from attn_jax.data.loaders.trees import Trees
from attn_jax.errors import UserError

BINARY = {"0": 0, "1": 1}


def rows(loader, *files, labels=BINARY):
    return [(raw.text, raw.label, raw.text2) for raw in loader.read(list(files), labels)]


def test_trees(put):
    path = put(
        "t.txt.gz", "(3 (2 It) (4 (2 works) (2 .)))\n\n(2 (2 So) (2 so))\n(0 (1 -LRB-) (1 sic) (1 -RRB-))\n"
    )
    labels = {"0": 0, "1": 0, "2": None, "3": 1, "4": 1}
    assert rows(Trees(), path, labels=labels) == [("It works .", 1, None), ("( sic )", 0, None)]


@pytest.mark.parametrize(
    "tree", ["(3 (2 It", "3 It)", "(3)", "()", "(3 a))", "(3 (2 a)) (2 b)", "words only"]
)
def test_malformed_trees(put, tree):
    with pytest.raises(UserError, match=r"t\.txt, line 2: not a tree"):
        rows(Trees(), put("t.txt", f"(1 (1 a))\n{tree}\n"))


def test_labelled_lines(put):
    assert rows(LabelledLines(), put("stsa", "1 a fine film\n0 no\n")) == [
        ("a fine film", 1, None),
        ("no", 0, None),
    ]
    named = LabelledLines(label_in_name=True)
    assert rows(named, put("s.dev.0.gz", "bad .\n"), put("s.dev.1", "good\n")) == [
        ("bad .", 0, None),
        ("good", 1, None),
    ]
    with pytest.raises(UserError, match=r"line 1: expected a label, a space"):
        rows(LabelledLines(), put("stsa", "1\n"))


def test_json_lines(put):
    path = put("a.jsonl", '{"text": "a", "label": 1, "id": 7}\n\n{"text": "b", "label": "0", "id": "x"}\n')
    assert [raw.id for raw in JsonLines(id="id").read([path], BINARY)] == ["7", "x"]
    assert rows(JsonLines(), path) == [("a", 1, None), ("b", 0, None)]
    yelp = put("y.json", '{"review_id": "r", "stars": 4.0, "text": "fine"}\n')
    assert rows(JsonLines(label="stars"), yelp, labels={"4": 3}) == [("fine", 3, None)]
    nli = put("n.jsonl", json.dumps({"sentence1": "p", "sentence2": "h", "gold_label": "-"}))
    assert rows(JsonLines("sentence1", "gold_label", "sentence2"), nli, labels={"-": None}) == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not valid JSON"),
        ("[1]", "expected a JSON object"),
        ('{"label": 1}', "field 'text' is missing"),
        ('{"text": ["a"], "label": 1}', "field 'text' is missing or not text"),
        ('{"text": "a", "label": true}', "field 'label' is missing or not text"),
        ('{"text": "a", "label": 2}', "unknown label '2', expected one of 0, 1"),
        ("[" * 100_000, "not valid JSON"),
        ("1" * 5000, "not valid JSON"),
    ],
)
def test_bad_json(put, line, message):
    with pytest.raises(UserError, match=rf"a\.jsonl, line 2: {message}"):
        rows(JsonLines(), put("a.jsonl", '{"text": "a", "label": 1}\n' + line))


AG = Table("class", ("title", "description"), columns=("class", "title", "description"))


def test_table_with_quotes_and_line_breaks(put):
    path = put("t.csv", '"1","A ""big"" one","two\nlines"\n"0","b","c"\n')
    assert rows(AG, path) == [('A "big" one two\nlines', 1, None), ("b c", 0, None)]


def test_table_with_header_and_bare_quotes(put):
    path = put("t.tsv", 'label\tpremise\thypothesis\n1\tso "called\tyes\n')
    table = Table("label", ("premise",), "hypothesis", delimiter="\t", quoted=False)
    assert rows(table, path) == [('so "called', 1, "yes")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('"1","a"\n', "line 1: 2 fields where there must be 3"),
        ('"1","a","b\n', "line 1"),
        ('"1","a"x,"b"\n', "line 1"),
        ('"7","a","b"\n', "line 1: unknown label '7'"),
    ],
)
def test_bad_tables(put, content, message):
    with pytest.raises(UserError, match=message):
        rows(AG, put("t.csv", content))


def test_table_without_its_column(put):
    with pytest.raises(UserError, match=r"line 1: no column label, text"):
        rows(Table("label", ("text",)), put("t.csv", "a,b\n1,2\n"))


def test_documents_lose_header_quotation_and_signature(put):
    post = "From: x\nSubject: y\n\nJoe writes:\n> old words\nmy own words\n\n--\nJoe\n"
    path = put("rec.sport.hockey/10", post.encode("latin-1") + b"\xe9")
    labels = {"rec.sport.hockey": 1}
    (row,) = rows(Documents("latin-1", body_only=True), path, labels=labels)
    assert row[0].split() == ["my", "own", "words"]
    with pytest.raises(UserError, match=r"10: not UTF-8"):
        rows(Documents(), path, labels=labels)


def test_babi(put):
    path = put("qa.txt", "1 A went.\n2 B went.\n3 Where is A? \thall\t1\n1 C went.\n2 Where is C?\tden\t1\n")
    first, second = Babi().read([path], {"hall": 0, "den": 1})
    assert (first.text, first.text2, first.spans) == ("A went. B went.", "Where is A?", ((0, 7),))
    assert (second.text, second.label) == ("C went.", 1)


@pytest.mark.parametrize(
    "bad",
    [
        "two words",
        "2",
        "9 Gap.",
        "2 Where?\thall",
        "2 Where?\tattic\t1",
        "2 Where?\thall\t7",
        "2 ?\thall\tx",
        "x y",
    ],
)
def test_bad_babi(put, bad):
    with pytest.raises(UserError, match=r"qa\.txt, line 2: "):
        list(Babi().read([put("qa.txt", f"1 A went.\n{bad}\n")], {"hall": 0}))


def test_cnn(put):
    path = put(
        "questions/test/a.question",
        "http://x\n\n@entity3 met @entity10\n\nwho met @placeholder\n\n@entity10\n\n@entity3:Al\n",
    )
    (raw,) = Cnn().read([path], {})
    assert (raw.text, raw.text2, raw.label, raw.choices) == (
        "@entity3 met @entity10",
        "who met @placeholder",
        10,
        (3, 10),
    )


@pytest.mark.parametrize(
    "content", ["", "u\n\np\n\nq", "u\n\n@entity1\n\nq\n\n@entity2\n\n", "u\n\np\n\nq\n\nname\n\n"]
)
def test_bad_cnn(put, content):
    with pytest.raises(UserError, match=r"a\.question: "):
        list(Cnn().read([put("a.question", content)], {}))


def test_aligned(put):
    files = [
        put("a.en", "one\ntwo\n"),
        put("b.en", "three"),
        put("a.de", "eins\nzwei\n"),
        put("b.de", "drei\n"),
    ]
    assert rows(Aligned(), *files) == [("one", 0, "eins"), ("two", 0, "zwei"), ("three", 0, "drei")]
    with pytest.raises(UserError, match=r"a\.de: it has fewer lines"):
        rows(Aligned(), put("a.en", "one\ntwo\n"), put("a.de", "eins\n"))
    with pytest.raises(UserError, match="must be pairs"):
        rows(Aligned(), files[0])


def annotation(**changes):
    evidence = [[{"start_token": 1, "end_token": 3}]]
    return (
        json.dumps({"annotation_id": "d.txt", "classification": "1", "evidences": evidence, **changes}) + "\n"
    )


def test_eraser(put):
    document = put("docs/d.txt", "a  very fine\nfilm\n")
    (raw,) = Eraser().read([put("train.jsonl", annotation()), document], BINARY)
    assert [raw.text[start:end] for start, end in raw.spans] == ["very fine"]


@pytest.mark.parametrize(
    "changes",
    [
        {"annotation_id": "e.txt"},
        {"evidences": [[{"start_token": 3, "end_token": 9}]]},
        {"evidences": [[{"start_token": 2, "end_token": 1}]]},
        {"evidences": [["x"]]},
        {"evidences": None},
        {"classification": "MAYBE"},
    ],
)
def test_bad_eraser(put, changes):
    document = put("docs/d.txt", "a very fine film\n")
    with pytest.raises(UserError, match=r"train\.jsonl, line 1: "):
        list(Eraser().read([put("train.jsonl", annotation(**changes)), document], BINARY))


NOTE_COLUMNS = (
    "ROW_ID,SUBJECT_ID,HADM_ID,CHARTDATE,CHARTTIME,STORETIME,CATEGORY,DESCRIPTION,CGID,ISERROR,TEXT"
)


def note(row, admission, text, category="Discharge summary", description="Report", error=""):
    return f'{row},22,{admission},2151-08-04,,,"{category}","{description}",,{error},"{text}"\n'


def test_mimic_with_its_quoting_and_notes_of_many_lines(put):
    notes = put(
        "NOTEEVENTS.csv.gz",
        NOTE_COLUMNS
        + "\n"
        + note(1, 100, 'Admission Date:  [**2151-7-16**]\n\nHe said ""fine"", left.\n')
        + note(2, 100, "a second report")
        + note(3, 200, "an addendum", description="Addendum")
        + note(4, 200, "withdrawn", error="1")
        + note(5, 200, "kept")
        + note(6, 300, "echo", category="Echo")
        + note(7, "", "no admission")
        + note(8, 400, "neither"),
    )
    diagnoses = put(
        "DIAGNOSES_ICD.csv",
        'ROW_ID,SUBJECT_ID,HADM_ID,SEQ_NUM,ICD9_CODE\n1,22,100,1,"2851"\n2,22,200,1,"28521"\n3,22,200,2,"25000"\n',
    )
    anemia = list(Mimic((("2851",), ("2852",))).read([notes, diagnoses], {}))
    assert [(raw.id, raw.label) for raw in anemia] == [("100", 0), ("200", 1)]
    assert 'He said "fine", left.\n' in anemia[0].text
    assert anemia[1].text == "kept"
    diabetes = list(Mimic(((), ("25000",)), rest=0).read([notes, diagnoses], {}))
    assert [(raw.id, raw.label) for raw in diabetes] == [("100", 0), ("200", 1), ("400", 0)]


def test_mimic_leaves_out_what_is_coded_both_ways(put):
    notes = put("NOTEEVENTS.csv", NOTE_COLUMNS + "\n" + note(1, 100, "both"))
    diagnoses = put("DIAGNOSES_ICD.csv", 'HADM_ID,ICD9_CODE\n100,"2851"\n100,"28529"\n')
    assert list(Mimic((("2851",), ("2852",))).read([notes, diagnoses], {})) == []


def test_mimic_cut_inside_a_note(put):
    notes = put("NOTEEVENTS.csv", NOTE_COLUMNS + "\n" + note(1, 100, "x" * 50)[:-30])
    diagnoses = put("DIAGNOSES_ICD.csv", "HADM_ID,ICD9_CODE\n")
    with pytest.raises(UserError, match=r"NOTEEVENTS\.csv, line 2"):
        list(Mimic((("2851",), ("2852",))).read([notes, diagnoses], {}))
