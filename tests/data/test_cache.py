import os

import pytest

from attn_jax.data import cache
from attn_jax.data.load import load
from attn_jax.errors import UserError
from tests.data.published_forms import FORMS


def fill(folder):
    folder.mkdir()
    (folder / "data").write_text("ours")


def test_prepared_once(tmp_path):
    directory = tmp_path / "cache" / "corpus-1"
    assert cache.prepared(directory, fill) == directory
    assert cache.prepared(directory, pytest.fail) == directory
    assert [path.name for path in directory.parent.iterdir()] == ["corpus-1"]


def test_who_comes_second_takes_what_the_first_made(tmp_path):
    directory = tmp_path / "corpus-1"

    def overtaken(folder):
        fill(folder)
        directory.mkdir()
        (directory / "data").write_text("theirs")

    cache.prepared(directory, overtaken)
    assert (directory / "data").read_text() == "theirs"
    assert [path.name for path in tmp_path.iterdir()] == ["corpus-1"]


def test_a_failure_leaves_nothing(tmp_path):
    def fail(folder):
        fill(folder)
        raise UserError("bad row.")

    with pytest.raises(UserError, match="bad row"):
        cache.prepared(tmp_path / "corpus-1", fail)
    assert not list(tmp_path.iterdir())


def test_a_full_disk_is_named(tmp_path):
    def full(folder):
        raise OSError(28, "No space left on device")

    with pytest.raises(UserError, match=r"cannot be written \(No space left on device\)"):
        cache.prepared(tmp_path / "corpus-1", full)
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot be written"):
        cache.prepared(tmp_path / "file" / "corpus-1", fill)


def test_a_damaged_copy_is_named(put, tmp_path):
    for name, content in FORMS["sst"].items():
        put(f"sst/{name}", content)
    load("sst", tmp_path, cache_dir=tmp_path / "cache")
    (record,) = (tmp_path / "cache").rglob("*train.array_record*")
    os.truncate(record, 10)
    with pytest.raises(UserError, match=r"sst-\w+: this prepared corpus is damaged; delete the folder"):
        load("sst", tmp_path, cache_dir=tmp_path / "cache")
