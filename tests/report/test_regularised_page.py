"""The page of Tutek & Snajder's cells: every table and figure, nothing trusted, nothing fetched."""

import re

import polars as pl
import pytest

from attn_jax.errors import UserError
from attn_jax.report import regularised_figures, regularised_page, regularised_tables, render, sentences
from attn_jax.results import examples, pairing, records, regularisation, run_dir
from attn_jax.results.tutek_snajder import SAMPLES, Cell, records_of
from tests.report.html_reader import Reader
from tests.report.test_page import HOSTILE
from tests.results import regularised
from tests.results.test_tutek_snajder import curves

SETTINGS = {"labels": ["negative", "<b>positive</b>"]}


def write(folder, made, frame=None):
    with run_dir.opened(folder, SETTINGS, device="cpu", command=["toy"]) as run:
        records.write(run.records, made)
        if frame is not None:
            examples.write(run.examples, frame)


def hostile(frame):
    """The words of every text replaced by what would harm a careless page."""
    words = pl.Series([HOSTILE[i % len(HOSTILE)] for i in range(40)])
    tokens = [["<SOS>", *words[: len(row) - 2], "<EOS>"] for row in frame["tokens"]]
    return frame.with_columns(tokens=pl.Series(tokens))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("ts")
    for variant, shift in (("base", 0.5), ("tying", 0.0)):
        cell = Cell("sst", "additive", variant, caveat="a toy & <i>")
        frame = hostile(regularised.make(run=cell.name, shift=shift))
        information = [{"sample": s, "seed": 0, "nats": 2.0, "tokens": 9} for s in SAMPLES]
        write(out / cell.name, records_of(frame, cell, information=information), frame)
        jsd = [0.0, 0.2, 0.6]
        write(out / f"{cell.name}-imitation", regularisation.imitation(curves(jsd, jsd), cell))
    base, tying = (regularised.make(shift=shift) for shift in (0.5, 0.0))
    write(out / f"{cell.name}-minus-base", pairing.records_of(tying, base, cell, "base"))
    tried = {s: regularised.make(split="dev", seeds=1) for s in (1.0, 10.0)}
    write(out / "ablation", regularisation.ablation(tried, cell))
    for start in ("dot", "dot_small_start"):
        history = [{"epoch": e, "seed": 0, "attention_entropy": 1 / (1 + e)} for e in range(3)]
        made = regularisation.initialisation(history, Cell("sst", start, "base"), n=5)
        write(out / start, made)
    return out


@pytest.fixture(scope="module")
def read(folder):
    return Reader(regularised_page.write_page(folder).read_text(encoding="utf-8"))


def test_a_probe_has_its_row_and_no_published_figure():
    plain, probe = (Cell("sst", "dot", "base", probe=name) for name in ("", "later"))
    made = [r for cell in (plain, probe) for r in records_of(regularised.make(), cell)]
    first, *_ = regularised_tables.grids(made)
    row, probed = first.rows
    assert (row[3], probed[3]) == ("base", "base_later")
    assert all("(" in value for value in row[4:7])
    assert not any("(" in value for value in probed[4:7])


def test_tables_stand_beside_the_published_figures(read, folder):
    assert len(read.all("table")) == 5
    found = next(
        r
        for r in records.read(folder / "sst-bilstm-additive-base" / "records.csv")
        if r.metric == "f1_trained"
    )
    assert f"{found.value:.1f} ± {found.std:.1f} (84.2)" in read.text
    assert "2.000 (2.324)" in read.text
    assert "taken" in read.text


def test_differences_have_their_own_interval(read, folder):
    made = records.read(folder / "sst-bilstm-additive-tying-minus-base" / "records.csv")
    record = next(r for r in made if r.metric == "f1_drop_permuted_minus_base")
    assert f"{record.value:.1f} [{record.ci_low:.1f}, {record.ci_high:.1f}]" in read.text


def test_every_figure_is_drawn_with_its_words(read):
    titles = read.text
    for title in (
        "Imitators: sst",
        "The start of the query: sst",
        "Where tying lowers",
        "A typical instance",
    ):
        assert title in titles
    drawn = [a for a in read.all("svg") if a.get("role") == "img"]
    assert len(drawn) == len(read.all("figure")) >= 6
    assert all(a["aria-label"] for a in drawn)


def test_the_page_runs_nothing_and_asks_for_nothing(read):
    assert read.all("script") == []
    assert read.all("img") == []
    assert not [name for _, attributes in read.elements for name in attributes if name.startswith("on")]
    assert all(link.startswith("#") or link == "data:," for link in read.values("href"))
    assert len(read.values("id")) == len(set(read.values("id")))


def test_sentences_are_distinct_short_and_of_the_first_seed(folder):
    frames = {
        variant: examples.read(folder / f"sst-bilstm-additive-{variant}" / "examples.parquet")
        for variant in ("base", "tying")
    }
    found = sentences.chosen(frames)
    names = [sentence.rows["base"]["id"] for sentence in found]
    assert len(names) == len(set(names)) >= 4
    first = (
        frames["base"]
        .filter(pl.col("seed") == 0)
        .join(frames["tying"].filter(pl.col("seed") == 0).select("id", other="token_probability"), on="id")
    )
    lowered = first.with_columns(gap=pl.col("token_probability") - pl.col("other")).sort("gap")
    assert names[0] == lowered["id"][-1]
    assert sentences.chosen({"base": frames["base"]}) == []


def test_token_values_are_the_sigmoid_of_each_words_logit(folder):
    row = examples.read(folder / "sst-bilstm-additive-base" / "examples.parquet").row(0, named=True)
    values = sentences.token_values(row, 1)
    assert len(values) == sum(row["mask"]) == len(sentences.words(row))
    expected = 1 / (1 + 2.718281828459045 ** -row["token_logits"][1][0])
    assert values[0] == pytest.approx(expected)
    assert sentences.token_values(row, 0)[0] == pytest.approx(1 - expected)


def test_an_empty_folder_is_one_sentence(tmp_path):
    with pytest.raises(UserError, match=r"no records\.csv"):
        regularised_page.write_page(tmp_path)


def test_words_stand_in_their_order_whatever_they_are():
    words = ["if", "zebras", "'", "\\", "ate", "if"]
    rows = [
        {"variant": name, "place": i, "probability": 0.5}
        for name in ("base", "tying")
        for i in range(len(words))
    ]
    said = [{"variant": "base", "probability": 0.6}]
    chart = regularised_figures.token_probabilities(words, rows, said, ["base", "tying"], "probability")
    svg = render.svg(chart, name="a", alt_text="b")
    drawn = [text.strip("\u200b") for text in re.findall(r"<text[^>]*>([^<]*)</text>", svg)]
    places = [drawn.index(word) for word in ("if", "zebras", "\\", "ate")]
    assert places == sorted(places)
    assert drawn.count("if") == 2
