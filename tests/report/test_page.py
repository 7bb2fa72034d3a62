import pathlib
import re
import xml.etree.ElementTree

import polars as pl
import pytest

from attn_jax.errors import UserError
from attn_jax.report import page
from attn_jax.results import jain_wallace, published
from tests.report import runs
from tests.report.html_reader import Reader
from tests.results import frames

HOSTILE = [
    "<script>alert(1)</script>",
    "</span><img src=x onerror=alert(1)>",
    "\"'`&amp;",
    "{{ 7*7 }}",
    "\u202eevil\u202c",
    "שלום",
    "🦊👩‍👩‍👧",
    "x" * 400,
]


@pytest.fixture(scope="module")
def written(toy_run) -> str:
    path = page.write_page(toy_run)
    assert path == toy_run / "index.html"
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def read(written) -> Reader:
    return Reader(written)


def test_the_page_asks_for_nothing_and_runs_nothing(written: str, read: Reader):
    assert read.all("script") == []
    assert not [name for _, attributes in read.elements for name in attributes if name.startswith("on")]
    links = read.values("href") + read.values("src") + read.values("xlink:href")
    assert links
    assert all(link.startswith("#") or link == "data:," for link in links)
    assert not re.search(r"@import|url\((?!#)", written)


def test_the_policy_forbids_what_the_page_does_not_need(read: Reader):
    policy = next(m["content"] for m in read.all("meta") if m.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    assert {"default-src 'none'", "style-src 'unsafe-inline'", "img-src data:"} <= set(policy.split("; "))


def test_the_verdict_stands_in_words(read: Reader):
    assert "Is attention an explanation?" in read.text
    assert re.search(r"\(tests for it: \d, against it: \d, undecided: \d\)", read.text)
    assert "Brackets hold" in read.text


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5])
def test_the_papers_figures_are_named(read: Reader, number: int):
    assert f"Figure {number} of Jain & Wallace (2019)" in read.text


def test_figures_are_valid_drawings_with_one_text_each(written: str, read: Reader):
    drawings = re.findall(r"<svg.*?</svg>", written, flags=re.DOTALL)
    assert len(drawings) == len(read.all("figure")) == 10
    for drawing in drawings:
        root = xml.etree.ElementTree.fromstring(drawing)
        assert root.attrib["role"] == "img"
        assert len(root.attrib["aria-label"]) > 10
        assert "NaN" not in drawing
    ids = read.values("id")
    assert len(ids) == len(set(ids))
    used = set(re.findall(r"url\(#([^)]*)\)", written))
    assert used <= set(ids)


def test_the_table_joins_the_published_figure(read: Reader):
    cells = published.load().filter(
        pl.col("dataset") == "sst",
        pl.col("encoder") == "bilstm",
        pl.col("label") == "0",
        pl.col("metric") == "tau_gradient_mean",
    )
    value, std = cells.select("value", "std").row(0)
    assert f"{value:.2f} ± {std:.2f}" in read.text
    assert "a toy" in read.text  # the caveat


def test_heat_maps_hold_every_word_with_its_weight(toy_run, read: Reader):
    frame = frames.make(n=40)
    words = [a for a in read.all("span") if (a.get("class") or "").startswith("word")]
    assert len(words) > 100
    assert all(0 <= float((a["style"] or "").removeprefix("--w:")) <= 1 for a in words)
    shown = [i for i in frame["id"] if re.search(rf"\b{i}\b", read.text)]
    assert len(shown) == 6
    assert any("planted" in (a["title"] or "") for a in words)


def test_the_same_run_gives_the_same_page(toy_run, written: str):
    assert page.write_page(toy_run).read_text(encoding="utf-8") == written


def test_hostile_text_is_shown_as_text(tmp_path: pathlib.Path):
    frame = frames.make(n=8)
    long = pl.col("tokens").list.len()
    tokens = [[HOSTILE[i % len(HOSTILE)] for i in range(n)] for n in frame.select(long).to_series()]
    frame = frame.with_columns(tokens=pl.Series(tokens), id=pl.col("id") + "<b>")
    cell = jain_wallace.Cell("<i>sst", "bilstm", "additive", caveat="<u>caveat")
    labels = ["<script>0", '"1" onload=x']
    made = runs.build(tmp_path, frame, cell, labels=labels, note="</dl><script>")
    read = Reader(page.write_page(made).read_text(encoding="utf-8"))
    assert read.all("script") == read.all("img") == read.all("i") == read.all("u") == []
    for text in (*HOSTILE, "<i>sst", "<u>caveat", "</dl><script>", *labels):
        assert text in read.text
    assert not [a for _, a in read.elements if "onload" in a or "onerror" in a]


def test_many_classes_and_questions_need_no_class_colours(tmp_path: pathlib.Path):
    frame = frames.make(n=20, classes=9, paired=True)
    cell = jain_wallace.Cell("babi1", "bilstm", "additive", task="qa")
    read = Reader(page.write_page(runs.build(tmp_path, frame, cell)).read_text(encoding="utf-8"))
    assert "where is it" in read.text
    assert re.search(r"Predicted class \d at", read.text)
    assert "Words with a line below are planted" not in " ".join(read.text.split())


def test_a_bare_run_has_a_page_too(tmp_path: pathlib.Path):
    bare = frames.make(n=6).select(
        "run", "seed", "id", "split", "tokens", "mask", "gold", "prediction", "probabilities", "alpha"
    )
    read = Reader(page.write_page(runs.build(tmp_path, bare)).read_text(encoding="utf-8"))
    assert "No test of attention was run." in read.text


def test_a_long_document_is_cut_and_said_so(tmp_path: pathlib.Path):
    lists = [name for name, dtype in frames.make(n=2).schema.items() if isinstance(dtype, pl.List)]
    as_tokens = [
        n for n in lists if n in ("tokens", "mask", "alpha", "rationale", "token_logits") or "/" in n
    ]
    frame = frames.make(n=2)
    frame = frame.with_columns(
        pl.Series(name, [(cell * 900)[:4000] for cell in frame[name].to_list()]) for name in as_tokens
    )
    written = page.write_page(runs.build(tmp_path, frame))
    assert "and 3700 more" in Reader(written.read_text(encoding="utf-8")).text
    assert written.stat().st_size < 3_000_000


@pytest.mark.parametrize("name", ["config.json", "records.csv", "examples.parquet"])
def test_a_missing_file_is_one_sentence(toy_run, tmp_path: pathlib.Path, name: str):
    for file in toy_run.iterdir():
        if file.name != name:
            (tmp_path / file.name).write_bytes(file.read_bytes())
    with pytest.raises(UserError, match=name):
        page.write_page(tmp_path)
