import numpy as np
import pytest
from scipy import stats

from attn_jax.data import vectors
from attn_jax.data.vocabulary import SPECIAL
from attn_jax.errors import UserError

WORDS = (*SPECIAL, "good", "film", "nowhere")


@pytest.mark.parametrize("name", ["v.txt", "v.txt.gz"])
@pytest.mark.parametrize("header", ["", "3 2\n"])
def test_rows_of_the_vocabulary_are_kept(put, name, header):
    path = put(name, header + "good 1.5 -2\nother 9 9\nfilm 0 1e-2 \ngood 7 7\n")
    read = vectors.read(path, WORDS, 0)
    assert read.table.shape == (7, 2)
    np.testing.assert_allclose(read.table[4:6], [[1.5, -2], [0, 0.01]])
    assert list(read.known) == [False] * 4 + [True, True, False]
    assert read.coverage == pytest.approx(2 / 3)
    assert not read.table[0].any()


def test_unknown_words_are_standard_normal_and_the_seed_decides(put):
    path = put("v.txt", "good " + " ".join(["0"] * 50) + "\n")
    words = (*SPECIAL, *(f"w{i}" for i in range(200)))
    table = vectors.read(path, words, 3).table
    assert stats.kstest(table[1:].ravel(), "norm").pvalue > 0.01
    np.testing.assert_array_equal(table, vectors.read(path, words, 3).table)
    assert (table != vectors.read(path, words, 4).table).any()


def test_words_drawn_alike_have_the_mean_and_spread_of_the_files(put):
    rng = np.random.default_rng(0)
    given = rng.normal([3, -1], [0.5, 2], (400, 2))
    path = put("v.txt", "".join(f"w{i} {a} {b}\n" for i, (a, b) in enumerate(given)))
    read = vectors.read(path, (*SPECIAL, *(f"w{i}" for i in range(400)), *(f"x{i}" for i in range(400))), 0)
    table = read.alike()
    np.testing.assert_array_equal(table[4:404], read.table[4:404])
    np.testing.assert_allclose(table[404:].mean(0), [3, -1], atol=0.4)
    np.testing.assert_allclose(table[404:].std(0), [0.5, 2], rtol=0.15)
    assert not table[0].any()


def test_nothing_is_drawn_like_no_words(put):
    with pytest.raises(UserError, match="none of these words"):
        vectors.read(put("v.txt", "elsewhere 1 2\n"), WORDS, 0).alike()


def test_a_word_may_hold_blanks(put):
    read = vectors.read(put("v.txt", "good 1 2\n. . . 3 4\nfilm 5 6\n"), WORDS, 0)
    np.testing.assert_array_equal(read.table[5], [5, 6])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("good 1 2\nfilm 1 2 3\n", "line 2"),
        ("good 1 2 3\nfilm 1 2\n", "line 2"),
        ("good 1 x\n", "line 1: a value is not a number"),
        ("good 1 nan\n", "line 1: a value is not a finite number"),
        ("good 1 1e40\n", "line 1: a value is not a finite number"),
        ("good 1 2\n\n", "line 2"),
        ("", "no vectors"),
        ("word\n", "line 1"),
    ],
)
def test_bad_files_are_named(put, content, message):
    with pytest.raises(UserError, match=message):
        vectors.read(put("v.txt", content), WORDS, 0)


def test_wrong_encoding_and_missing_file(put, tmp_path):
    with pytest.raises(UserError, match=r"line 2: not UTF-8"):
        vectors.read(put("v.txt", b"good 1 2\nf\xfclm 1 2\n"), WORDS, 0)
    with pytest.raises(UserError, match="cannot be read"):
        vectors.read(tmp_path / "none.txt", WORDS, 0)


def test_word2vec_is_written_in_the_format_that_is_read(tmp_path):
    pytest.importorskip("gensim", reason="word2vec is an extra (attn_jax[vectors])")
    vectors.learn([["a", "good", "film"]] * 20, tmp_path / "w.txt", width=4)
    read = vectors.read(tmp_path / "w.txt", WORDS, 0)
    assert read.table.shape == (7, 4)
    assert read.known[4:6].all()


def test_without_gensim_the_remedy_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "gensim.models", None)
    with pytest.raises(UserError, match=r"attn_jax\[vectors\]"):
        vectors.learn([["a"]], tmp_path / "w.txt")
