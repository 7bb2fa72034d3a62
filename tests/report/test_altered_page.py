"""The page of Vashishth's runs: tables beside the published ones, three figures, nothing trusted."""

import polars as pl
import pytest

from attn_jax.errors import UserError
from attn_jax.report import altered_page, annotation_document, document
from attn_jax.results import annotation, annotation_scores, records
from attn_jax.results.vashishth import Cell
from tests.report.html_reader import Reader
from tests.results import altered


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("vashishth")
    for dataset, model, kind in (("sst", "bahdanau", "single"), ("snli", "rocktaschel", "pair")):
        cell = Cell(dataset, model, kind, caveat="a toy & <i>")
        altered.write(out / cell.name, cell, altered.make(run=cell.name))
    return out


@pytest.fixture(scope="module")
def read(folder):
    return Reader(altered_page.write_page(folder).read_text(encoding="utf-8"))


def test_tables_stand_beside_the_published_figures(read, folder):
    found = next(r for r in records.read(folder / "sst-bahdanau" / "records.csv") if r.metric == "accuracy")
    assert f"{found.value:.1f} ± {found.std:.1f} (83.4)" in read.text
    assert "(-44.2)" in read.text
    for title in ("One text (Table 1)", "Two texts (Table 2)", "Further alterations", "Behind the figures"):
        assert title in read.text
    assert "uniform infer word" in read.text


def test_every_run_has_its_figures(read):
    assert len(read.all("svg")) == 5
    for title in ("With and without attention", "Permuted attention: sst-bahdanau"):
        assert title in read.text
    assert "One weight removed: snli-rocktaschel" in read.text
    assert "n\u00a0=\u00a078" in read.text


def test_text_from_data_is_text(read):
    assert "a toy & <i>" in read.text
    assert not read.all("i")
    assert not read.all("script")


def test_the_same_runs_give_the_same_page_and_none_are_refused(folder, tmp_path):
    assert altered_page.page(folder) == altered_page.page(folder)
    with pytest.raises(UserError, match=r"no records\.csv"):
        altered_page.page(tmp_path)


def test_figure_5_stands_beside_the_published_one():
    items = annotation.sheet(altered.make(), ("a", "b"), count=10, seed=0)
    given = {name: {item.key: item.kind == "original" for item in items} for name in ("a", "b")}
    made = annotation_scores.records_of(items, given, dataset="imdb", model="bahdanau")
    text = document.plain(annotation_document.document(made))
    for part in ("79.5", "13.5", "0.84", "1.00", "20 judgements", "Permuted attention"):
        assert part in text
    assert pl.Series([r.value for r in made if r.variant == "original"]).sum() == pytest.approx(100)
