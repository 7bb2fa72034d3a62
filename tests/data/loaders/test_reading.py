import gzip

import pytest

from attn_jax.data.loaders.reading import lines
from attn_jax.errors import UserError


def test_lines_are_numbered_and_lose_their_ends(put):
    assert list(lines(put("a.txt", "one\r\n\ntwo"))) == [(1, "one"), (2, ""), (3, "two")]
    assert list(lines(put("a.txt.gz", "é\n"))) == [(1, "é")]


def test_a_cut_gzip_file_names_the_line(put, tmp_path):
    whole = gzip.compress("".join(f"line {i} {i * 7919}\n" for i in range(5000)).encode())
    cut = put("a.txt", whole[: len(whole) // 2]).rename(tmp_path / "cut.txt.gz")
    with pytest.raises(UserError, match=r"cut\.txt\.gz, line \d+: the file is damaged or cut short"):
        list(lines(cut))
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 0xFF
    bad = put("b.txt", bytes(flipped)).rename(tmp_path / "bad.txt.gz")
    with pytest.raises(UserError, match="damaged"):
        list(lines(bad))


def test_not_gzip_at_all(put, tmp_path):
    path = put("plain.txt", "words\n").rename(tmp_path / "plain.txt.gz")
    with pytest.raises(UserError, match="line 1: the file is damaged"):
        list(lines(path))


def test_wrong_encoding_names_line_and_byte(put):
    with pytest.raises(UserError, match=r"a\.txt, line 2: not UTF-8 \(byte 3\)"):
        list(lines(put("a.txt", b"fine\nab\xff\n")))


def test_missing_file(tmp_path):
    with pytest.raises(UserError, match="cannot be read"):
        list(lines(tmp_path / "nowhere"))
