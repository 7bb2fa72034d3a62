import itertools
import re

import pytest

from attn_jax.report import claims_document, document, fidelity_document, grid, numbers
from attn_jax.results import claims, fidelity, published
from tests.report.html_reader import Reader
from tests.results import answers

PAPER = "jain_wallace_2019"
HOSTILE = "</td><script>alert(1)</script> | `x` *b* [click](javascript:1) \x1b[31m {{ 7*7 }}"


@pytest.fixture(scope="module")
def cells() -> list[fidelity.Cell]:
    found = answers.only(answers.records(), dataset="sst") + answers.changed(
        answers.only(answers.records(shift=0.2), dataset="imdb"), caveat=HOSTILE
    )
    return fidelity.cells(found, PAPER)


@pytest.fixture(scope="module")
def fidelity_made(cells) -> grid.Document:
    return fidelity_document.document(cells)


@pytest.fixture(scope="module")
def claims_made() -> grid.Document:
    found = answers.changed(answers.records(shift=0.3), caveat=HOSTILE)
    return claims_document.document(claims.judged(found))


@pytest.fixture(params=["fidelity_made", "claims_made"])
def made(request) -> grid.Document:
    return request.getfixturevalue(request.param)


def test_the_page_asks_for_nothing_runs_nothing_and_shows_hostile_text_as_text(made):
    page = document.html(made)
    read = Reader(page)
    assert read.all("script") == read.all("img") == []
    assert all(link.startswith("#") or link == "data:," for link in read.values("href"))
    assert any("default-src 'none'" in (meta.get("content") or "") for meta in read.all("meta"))
    assert "</td><script>alert(1)</script>" in read.text
    assert "{{ 7*7 }}" in read.text
    ids = read.values("id")
    assert len(ids) == len(set(ids))
    assert document.html(made) == page


def test_every_row_of_the_page_is_as_wide_as_its_head(made):
    tables = re.findall(r"<table.*?</table>", document.html(made), flags=re.DOTALL)
    assert len(tables) == sum(bool(g.rows) for g in made.grids)
    for table in tables:
        widths = {
            len(re.findall(r"<t[hd][ >]", row)) for row in re.findall(r"<tr>.*?</tr>", table, re.DOTALL)
        }
        assert len(widths) == 1


def test_markdown_tables_hold_their_shape(made):
    lines = document.markdown(made).splitlines()
    for g in made.grids:
        header = "| " + " | ".join(document._escaped(c.name) for c in g.columns) + " |"
        assert not g.rows or header in lines
    for before, line in itertools.pairwise(lines):
        if line.startswith("|") and before.startswith("|"):
            assert len(re.findall(r"(?<!\\)\|", line)) == len(re.findall(r"(?<!\\)\|", before))
    text = "\n".join(lines)
    assert "<script" not in text
    assert "](javascript" not in text
    assert "\\| \\`x\\` \\*b\\*" in text
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("Jain & Wallace [0.1, 0.2]", "Jain & Wallace [0.1, 0.2]"),
        ("&lt;b&#62;", "&amp;lt;b&amp;#62;"),
        ("a\nb | c\\", "a b \\| c\\\\"),
        ("[x](y) [x][y]", "[x]\\(y) [x]\\[y]"),
    ],
)
def test_markdown_escapes_what_would_mean_something(text: str, escaped: str):
    assert document._escaped(text) == escaped


def test_plain_text_has_no_control_characters(made):
    text = document.plain(made)
    assert all(letter.isprintable() or letter in "\n\u00a0" for letter in text)
    for g in made.grids:
        assert " ".join(g.title.split()) in " ".join(text.split())


def test_each_cell_stands_beside_the_published_one(fidelity_made):
    table = next(g for g in fidelity_made.grids if g.title == "Jain & Wallace (2019), Table 2")
    names = [column.name for column in table.columns]
    assert "Variant" not in names  # the paper has none: an empty column is left out
    rows = [dict(zip(names, row, strict=True)) for row in table.rows]
    assert len(rows) == 126
    sst = next(r for r in rows if r["Data set"] == "sst")
    assert (sst["Published"], sst["Ours"], sst["Difference"]) == ("0.40 ± 0.21", "0.400", "+0.00")
    assert (sst["n"], sst["Seeds"], sst["Verdict"], sst["Caveat"]) == ("100", "3", "reproduced", "")
    imdb = next(r for r in rows if r["Data set"] == "imdb")
    assert (imdb["Ours"], imdb["Difference"], imdb["Verdict"]) == ("0.570", "+0.20", "not reproduced")
    assert table.footnotes[int(imdb["Caveat"]) - 1] == HOSTILE
    adr = next(r for r in rows if r["Data set"] == "adr")
    assert (adr["Ours"], adr["Verdict"]) == ("", "not run")


def test_the_terminal_leaves_out_what_was_not_run(cells):
    short = fidelity_document.document(cells, everything=False)
    whole = fidelity_document.document(cells)
    rows = {g.title: len(g.rows) for g in short.grids}
    assert rows["Jain & Wallace (2019), Table 2"] == 24
    assert sum(len(g.rows) for g in whole.grids) > sum(rows.values())
    nothing = fidelity_document.document(fidelity.cells([]), everything=False)
    assert [g.title for g in nothing.grids] == ["Shares", "Counts of data"]
    assert "Nothing was run" in nothing.grids[0].note


def test_shares_stand_above_or_below_the_constant(fidelity_made, cells):
    shares = fidelity_made.grids[0]
    names = [column.name for column in shares.columns]
    tau = next(dict(zip(names, row, strict=True)) for row in shares.rows if row[1] == "tau mean")
    assert (tau["Reproduced"], tau["Share"]) == ("6 of 12", "50\u00a0%")
    assert tau["Above the constant"] in ("yes", "no")
    assert "of 26 cells" in shares.note
    assert {row[0] for row in shares.rows} == {"Jain & Wallace (2019)", ""}  # nothing else was run
    off = [c for c in cells if c.verdict == "not reproduced" and "size" not in c.field("metric")]
    bare = sum(not c.reason for c in off)  # no other settings were tried here
    assert len(off) == 13 > bare > 0
    first = [
        c for c in cells if c.judged and c.field("metric") in ("f1", "tau_gradient_mean", "tau_loo_mean")
    ]
    good = sum(c.verdict == "reproduced" for c in first)
    assert (
        f"13 (50\u00a0%) are reproduced (of the {len(first)} of performance and tau mean {good} "
        f"({numbers.percent(good / len(first))})); {bare} of the others have no tested explanation yet."
    ) in shares.note


def test_a_table_a_published_table_and_a_row_a_published_cell():
    made = fidelity_document.document(fidelity.cells([]))
    keys = {row[:2] for row in published.load().select("paper", "table").iter_rows()}
    assert len(made.grids) == 2 + len(keys)
    assert sum(len(g.rows) for g in made.grids[2:]) == published.load().height


def test_claims_show_their_line_their_figures_and_both_verdicts(claims_made):
    summary, modest = claims_made.grids[:2]
    assert len(summary.rows) == len(claims.CLAIMS) == len(claims_made.grids) - 1
    assert summary.rows[0][2] == "holds (12 of 12)"
    assert "does not hold" in summary.rows[0][3]
    assert "(a) tau with gradients: below 0.50" in modest.note
    names = [column.name for column in modest.columns]
    sst = dict(zip(names, modest.rows[0], strict=True))
    assert re.fullmatch(r"0\.39 \[0\.38, 0\.40\]", sst["(a) published"])
    assert sst["(a) ours"] == "0.69 ✗"
    assert (sst["On the published figures"], sst["On ours"], sst["n"]) == ("holds", "does not hold", "200")
    assert modest.footnotes == (HOSTILE,)


def test_the_papers_exceptions_are_footnotes(claims_made):
    table = next(g for g in claims_made.grids if "under uniform attention" in g.title)
    assert any("published exception" in note for note in table.footnotes)
    names = [column.name for column in table.columns]
    marked = [row for row in table.rows if row[names.index("Exception")]]
    assert {row[0] for row in marked} == {"agnews", "imdb"}


def test_both_files_are_written(tmp_path, made):
    paths = document.write(made, tmp_path / "new")
    assert [path.name for path in paths] == [f"{made.name}.html", f"{made.name}.md"]
    assert paths[0].read_text(encoding="utf-8") == document.html(made)
    assert paths[1].read_text(encoding="utf-8") == document.markdown(made)


def test_figures_under_other_settings_are_marked_where_they_hold():
    found = answers.only(answers.records(shift=0.3), dataset="sst", table="table2")
    other = answers.changed(
        answers.only(answers.records(), dataset="sst", table="table2"), variant="released"
    )
    made = fidelity_document.document(fidelity.cells(found + other, PAPER), everything=False)
    tally = next(g for g in made.grids if g.title == "Under other settings")
    cells = str(len(found))
    assert tally.rows == (("Jain & Wallace (2019)", "released", "sst", cells, cells, "0"),)
    table = next(g for g in made.grids if g.title == "Jain & Wallace (2019), Table 2")
    place = [column.name for column in table.columns].index("Under other settings")
    assert all(re.fullmatch(r"released -?\d\.\d{3} ✓", row[place]) for row in table.rows)
