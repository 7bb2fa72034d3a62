"""The published corpora themselves, where they are: rows as counted, truths as read."""

import concurrent.futures
import gzip
import json
import resource
import subprocess
import sys
import time

import pytest

from attn_jax.data import vectors
from attn_jax.data.loaders.aligned import Aligned
from attn_jax.data.loaders.trees import Trees
from tests.data.conftest import ROOT
from tests.data.simulators.test_babi import answer, questions

pytestmark = pytest.mark.real_data

# Published instances by part and class, as counted in the files ("-" of SNLI and SST's neutral left out).
COUNTS = {
    "imdb": {"train": [12500, 12500], "test": [12500, 12500]},
    "yelp_polarity": {"train": [25278, 38205], "test": [50278, 76392]},
    "snli": {"train": 100_000 - 110, "dev": 9842, "test": [3219, 3237, 3368]},
    "20news": {"train": [597, 600], "test": [397, 399]},
    "agnews": {"train": [7521, 7507], "test": [1900, 1900]},
    "multinli": {"test": 9815},
    "multi30k": {"train": 29000, "dev": 1014, "test": 1000},
    "eraser_movies": {"train": [800, 800], "dev": [100, 100], "test": [100, 100]},
    "sst": {"train": [3310, 3610], "dev": [428, 444], "test": [912, 909]},
    "babi1": {"train": 10000, "test": 1000},
    "babi2": {"train": 10000, "test": 1000},
    "babi3": {"train": 2000, "test": 1000},
}
FOLDERS = {"multinli": "mnli", "yelp_polarity": "yelp", **{f"babi{task}": "babi" for task in (1, 2, 3)}}


def summary(name, folder, preparation="jain_wallace", *cache):
    """See `summary.py`."""
    line = [sys.executable, "-m", "tests.data.summary", name, str(folder), preparation, *map(str, cache)]
    done = subprocess.run(line, capture_output=True, text=True, cwd=ROOT, check=False, timeout=500)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


@pytest.fixture(scope="session")
def summaries(published):
    """One of each corpus that is there. Only the first run prepares: the cache is that of all commands."""
    names = [name for name in COUNTS if (published / FOLDERS.get(name, name)).is_dir()]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return dict(zip(names, pool.map(lambda name: summary(name, published), names), strict=True))


@pytest.fixture
def found(summaries, published):
    """The summary of a corpus by its name."""

    def get(name):
        if name not in summaries:
            pytest.skip(f"{name} is not in {published}")
        return summaries[name]

    return get


@pytest.mark.parametrize("name", COUNTS)
def test_rows_are_as_counted(found, name):
    seen = found(name)
    for part, expected in COUNTS[name].items():
        sizes = [size for _, size in sorted(seen["counts"][part].items())]
        assert (sizes if isinstance(expected, list) else sum(sizes)) == expected
    assert seen["counts"].keys() == COUNTS[name].keys()
    assert seen["highest_label"] == len(seen["labels"]) - 1


def test_sst_has_the_sizes_of_the_paper(found):
    for size, expected in zip(found("sst")["sizes"], (6355, 821, 1725), strict=True):
        assert abs(size - expected) <= 2


def test_all_trees_are_read(published):
    labels = {str(label): label for label in range(5)}
    for part, expected in (("dev", 1101), ("test", 2210), ("train", 8544)):
        files = [published / "sst" / f"trees_{part}.txt.gz"]
        assert sum(1 for _ in Trees().read(files, labels)) == expected


def test_the_binary_files_of_sst_hold_the_same_sentences(found, published, tmp_path):
    (tmp_path / "sst").mkdir()
    for part in ("train", "dev", "test"):
        name = f"stsa.binary.{part}.gz"
        (tmp_path / "sst" / name).symlink_to(published / "sst" / name)
    binary = summary("sst", tmp_path, "jain_wallace", tmp_path / "cache")
    assert binary["counts"] == found("sst")["counts"]
    assert binary["sizes"] == pytest.approx(found("sst")["sizes"], abs=10)


def test_average_lengths_of_the_papers(found):
    assert round(found("sst")["avg_length"]) == 19
    assert round(found("snli")["avg_length"]) == 14
    # J&W print 8, 67 and 421; whole stories have these.
    for task, words in ((1, 37), (2, 95), (3, 302)):
        assert found(f"babi{task}")["avg_length"] == pytest.approx(words, rel=0.02)


def test_sst_has_the_vocabulary_of_the_paper_over_all_splits(published):
    seen = summary("sst", published, "released")
    assert seen["vocab_size_all_splits"] == pytest.approx(16_175, rel=0.01)


NAMES = ["qa1_single-supporting-fact", "qa2_two-supporting-facts", "qa3_three-supporting-facts"]


@pytest.mark.parametrize("name", NAMES)
def test_published_babi_answers_follow_from_a_replay(published, name):
    with gzip.open(published / "babi" / f"{name}_test.txt.gz", "rt") as file:
        asked = list(questions(line.rstrip("\n") for line in file))
    assert sum(answer(facts.values(), question) == gold for facts, question, gold, _ in asked) == 1000


def test_rationales_are_there(found):
    assert 0.02 < found("eraser_movies")["rationale_share"] < 0.5
    assert found("eraser_movies")["without_rationale"] == 1
    assert found("babi2")["without_rationale"] == 0


@pytest.mark.parametrize("name", ["agnews", "babi3"])
def test_no_train_instance_is_in_test(found, name):
    assert found(name)["leaks"] == 0


def test_the_2017_tests_of_multi30k(published):
    for name, expected in (("test_2017_flickr", 1000), ("test_2017_mscoco", 461)):
        files = [published / "multi30k" / f"{name}.{side}.gz" for side in ("en", "de")]
        assert sum(1 for _ in Aligned().read(files, {})) == expected


def test_trained_on_snli_tested_on_multinli(found, published):
    assert (
        found("snli")["labels"] == found("multinli")["labels"] == ["neutral", "contradiction", "entailment"]
    )
    assert summary("multinli_from_snli", published)["sizes"] == [99_890, 9842, 9815]


def test_glove(published):
    (path,) = (published / "vectors").glob("glove*.txt.gz")
    read = vectors.read(path, ("<PAD>", "<UNK>", "<SOS>", "<EOS>", "the", "film", "notaword"), 0)
    assert read.table.shape == (7, 300)
    assert read.coverage == pytest.approx(2 / 3)
    with gzip.open(path, "rt") as file:
        rows = [row.split(" ", 1) for row in file]
    assert len(rows) == 33_860
    expected = dict(rows)["film"].split()
    assert read.table[5] == pytest.approx([float(value) for value in expected])


@pytest.mark.parametrize(("name", "limit"), [("sst", 2), ("imdb", 10)])
def test_a_second_start_is_quick(summaries, published, name, limit):
    load = f"load({name!r}, pathlib.Path({str(published)!r}))"
    code = f"import pathlib; from attn_jax.data.load import load; {load}"
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, timeout=120)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    # CPU seconds of the whole interpreter: what else runs on the machine does not count.
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert min(spent, time.monotonic() - began) < limit


@pytest.mark.slow
def test_imdb_prepares_in_bounded_memory(published, tmp_path):
    assert summary("imdb", published, "jain_wallace", tmp_path)["memory_kib"] < 2 * 2**20
    assert len(list(tmp_path.iterdir())) == 1
