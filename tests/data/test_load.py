"""Every corpus of the papers from small files in its published form, and what the cache promises."""

import io
import os
import tarfile
import types
import zipfile

import pytest

from attn_jax.data import specs
from attn_jax.data.load import EMBEDDED, load
from attn_jax.data.loaders import trees
from attn_jax.data.simulators.babi import babi
from attn_jax.errors import UserError
from tests.data.published_forms import FORMS, SIZES, TREE

SST = FORMS["sst"]


@pytest.fixture
def corpus(put, tmp_path):
    """Writes a corpus's files and loads it."""

    def make(name, files, **options):
        for file, content in files.items():
            put(f"data/{file}", content)
        return load(name, tmp_path / "data", cache_dir=tmp_path / "cache", **options)

    return make


def test_every_published_corpus_is_tried_here():
    assert set(FORMS) == set(specs.PUBLISHED) - {"multinli_from_snli"}


@pytest.mark.parametrize("name", FORMS)
def test_each_corpus_loads_from_its_published_form(corpus, name):
    loaded = corpus(name, FORMS[name])
    spec = specs.get(name)
    sizes = tuple(len(split) for _, split in loaded.splits())
    assert sizes == SIZES[name]
    assert loaded.paired == (spec.kind != "single")
    for _, split in loaded.splits():
        for example in split:
            assert spec.keeps(len(example.tokens))
            assert example.label < len(loaded.labels)
            assert example.rationale is None or len(example.rationale) == len(example.tokens)


def test_cnn_answers_are_among_their_choices_and_entities_keep_their_numbers(corpus):
    loaded = corpus("cnn", FORMS["cnn"])
    assert loaded.labels == tuple(f"@entity{i}" for i in range(6))
    (example,) = [example for example in loaded.test if example.label == 2]
    assert example.choices == (2, 5)
    assert example.tokens == ("@entity2", "saw", "@entity5", "in", "qqq")


def test_what_is_stored_is_what_was_prepared(corpus):
    first = corpus("babi1", FORMS["babi1"])
    second = corpus("babi1", {})
    assert first == second
    assert first.train[0].rationale == (True,) * len(first.train[0].tokens)


def test_a_second_start_reads_no_raw_file(corpus, monkeypatch):
    first = corpus("sst", SST)
    monkeypatch.setattr(trees, "leaves", None)
    assert corpus("sst", {}) == first


def test_a_changed_file_or_rule_is_prepared_anew(corpus, tmp_path):
    corpus("sst", SST)
    changed = corpus("sst", {"trees_train.txt": TREE * 2})
    assert len(changed.train) == 4
    corpus("sst", {}, preparation="released")
    assert len(list((tmp_path / "cache").iterdir())) == 3
    os.utime(tmp_path / "data/trees_dev.txt", (1, 1))
    corpus("sst", {})
    assert len(list((tmp_path / "cache").iterdir())) == 4


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"trees_test.txt": TREE + "(3 (2 a\n"}, r"trees_test\.txt, line 4: not a tree"),
        ({"trees_dev.txt": b"(3 (2 \xff))\n"}, r"trees_dev\.txt, line 1: not UTF-8"),
        ({"trees_dev.txt": "(9 (2 a))\n"}, r"trees_dev\.txt, line 1: unknown label '9'"),
        ({"trees_dev.txt": "(3 (2 short))\n"}, "no instance of dev is left after the filters"),
    ],
)
def test_a_failure_leaves_no_half_prepared_cache(corpus, tmp_path, bad, message):
    with pytest.raises(UserError, match=message):
        corpus("sst", {**SST, **bad})
    assert not list((tmp_path / "cache").iterdir())


def test_missing_files_are_named_with_where_to_get_them(corpus, tmp_path):
    with pytest.raises(UserError, match=r"missing trees_test\.txt or trees/test\.txt; .*nlp\.stanford\.edu"):
        corpus("sst", {name: TREE for name in SST if "test" not in name})
    with pytest.raises(UserError, match=r"nowhere: no such folder; .*stsa\.binary\.train"):
        load("sst", tmp_path / "nowhere")
    with pytest.raises(UserError, match="20news needs --data-dir"):
        load("20news")


def test_a_wrong_name_lists_the_right_ones():
    with pytest.raises(UserError, match=r"unknown dataset 'ssst'; choose one of 20news, adr, .*, sst,"):
        load("ssst")


def test_the_parent_of_the_folder_will_do(put, tmp_path):
    for name, content in SST.items():
        put(f"all/sst/{name}", content)
    put("all/imdb/train.jsonl", "not read")
    assert len(load("sst", tmp_path / "all", cache_dir=tmp_path / "cache").train) == 2


def test_archives_are_read_as_they_are_published(put, tmp_path):
    with zipfile.ZipFile(put("sst/t.zip", ""), "w") as archive:
        for part in ("train", "dev", "test"):
            archive.writestr(f"trees/{part}.txt", TREE)
    with tarfile.open(put("20news/n.tar.gz", b"").with_name("n.tar.gz"), "w:gz") as archive:
        for name, content in FORMS["20news"].items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content.encode()))
    assert len(load("sst", tmp_path, cache_dir=tmp_path / "cache").train) == 2
    assert len(load("20news", tmp_path, cache_dir=tmp_path / "cache").test) == 8


def test_a_cut_archive(put, tmp_path):
    put("sst/t.zip", b"PK\x03\x04 half")
    with pytest.raises(UserError, match=r"t\.zip: the archive is damaged or cut short"):
        load("sst", tmp_path / "sst", cache_dir=tmp_path / "cache")


def test_train_texts_that_occur_in_test_are_dropped(corpus):
    train = '"1","t","Same words."\n"3","t","other"\n"3","t","yet another"\n'
    files = {"train.csv": train, "test.csv": '"1","x","same   words"\n"3","t","y"\n'}
    loaded = corpus("agnews", files)
    texts = {example.tokens for example in (*loaded.train, *loaded.dev)}
    assert texts == {("other",), ("yet", "another")}


def test_released_maps_digits_on_three_corpora_only(corpus):
    assert not specs.get("sst", "released").rules.qqq
    assert specs.get("agnews", "released").rules.qqq
    assert specs.get("imdb").rules.qqq


def test_text_is_cut_into_words_as_asked_for(corpus):
    by_marks, by_blanks = (
        {word for text in corpus("20news", FORMS["20news"], tokeniser=way).train for word in text.tokens}
        for way in ("words", "whitespace")
    )
    assert any(not word.isalnum() for word in by_blanks - by_marks)
    assert all(word.isalnum() or len(word) == 1 for word in by_marks)


@pytest.mark.parametrize("name", specs.PUBLISHED)
def test_no_form_of_a_corpus_keeps_its_own_way_of_cutting(name):
    spec = specs.cut_by("words", specs.get(name))
    rules = [spec.rules, *(layout.rules for layout in spec.layouts if layout.rules)]
    assert {rule.tokeniser for rule in rules} == {"words"}


def test_a_generated_corpus_has_no_text_to_cut():
    with pytest.raises(UserError, match="reviews is generated word by word"):
        load("reviews", tokeniser="words")


def test_trained_on_snli_and_tested_on_multinli(corpus):
    loaded = corpus("multinli_from_snli", {**FORMS["snli"], **FORMS["multinli"]})
    assert [len(split) for _, split in loaded.splits()] == [15, 15, 30]
    assert "trained on SNLI" in loaded.caveat


def fake_builder(rows):
    """What `tfds.builder` returns, as far as we use it."""
    prepared = types.SimpleNamespace(
        download_and_prepare=lambda: None, as_data_source=lambda split: rows[split]
    )
    return lambda name, file_format: prepared


def test_tfds_provides_what_it_publishes(monkeypatch, tmp_path):
    import tensorflow_datasets as tfds

    rows = [{"premise": b"p", "hypothesis": b"h", "label": label} for label in (0, 1, 2, -1)]
    monkeypatch.setattr(tfds, "builder", fake_builder({"train": rows, "validation": rows, "test": rows}))
    corpus = load("snli", cache_dir=tmp_path)
    assert [corpus.labels[example.label] for example in corpus.train] == [
        "entailment",
        "neutral",
        "contradiction",
    ]


def test_what_tfds_cannot_provide_is_said_in_one_sentence(monkeypatch, tmp_path):
    import tensorflow_datasets as tfds

    def offline(*args, **kwargs):
        raise ConnectionError("no\nnetwork")

    monkeypatch.setattr(tfds, "builder", offline)
    with pytest.raises(UserError, match=r"TFDS could not provide imdb_reviews .*no network.*--data-dir"):
        load("imdb", cache_dir=tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", [name for name, spec in specs.PUBLISHED.items() if spec.download])
def test_tfds_knows_each_corpus_with_these_fields_and_labels(name, tmp_path):
    import importlib

    import tensorflow_datasets as tfds

    download = specs.get(name).download
    if download.module:
        importlib.import_module(download.module)
    info = tfds.builder(download.name, data_dir=tmp_path, file_format="array_record").info
    assert {*download.text, *filter(None, [download.text2])} <= set(info.features.keys())
    if "label" in info.features.keys():  # noqa: SIM118
        assert {str(i) for i in range(info.features["label"].num_classes)} == set(download.labels) - {"-1"}


def test_generated_corpora_need_no_files(monkeypatch):
    monkeypatch.setitem(EMBEDDED, "babi1", lambda seed: babi(1, seed, 5, 5, 5))
    assert load("reviews", seed=3).train[0] == load("reviews", seed=3).train[0]
    assert load("babi1", seed=1).caveat == "simulated, not the published files"
