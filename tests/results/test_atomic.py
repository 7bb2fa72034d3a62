import errno
import os
import pathlib
import stat

import pytest

from attn_jax.errors import UserError
from attn_jax.results import atomic, jsonl


def test_text_and_bytes_are_written_as_they_are(tmp_path: pathlib.Path):
    atomic.write_text(tmp_path / "new" / "a.txt", "é\r\n")
    assert (tmp_path / "new" / "a.txt").read_bytes() == "é\r\n".encode()
    atomic.write_bytes(tmp_path / "new" / "a.txt", b"\x00")
    assert (tmp_path / "new" / "a.txt").read_bytes() == b"\x00"


@pytest.mark.parametrize("step", ["fsync", "rename"])
def test_a_failing_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, step):
    path = tmp_path / "records.csv"
    atomic.write_text(path, "old")

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    target = (os, "fsync") if step == "fsync" else (pathlib.Path, "replace")
    monkeypatch.setattr(*target, full)
    with pytest.raises(UserError, match="No space left on device; free some space"):
        atomic.write_text(path, "new")
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["records.csv"]


def test_an_interrupt_leaves_no_temporary_file(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        atomic.write_text(tmp_path / "a", "new")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: pathlib.Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=r"cannot write .*file/a\.txt"):
        atomic.write_text(tmp_path / "file" / "a.txt", "text")


def test_rights_are_those_of_an_ordinary_file(tmp_path: pathlib.Path):
    atomic.write_text(tmp_path / "a", "text")
    (tmp_path / "b").write_text("text")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == stat.S_IMODE((tmp_path / "b").stat().st_mode)


def test_json_lines_come_back(tmp_path: pathlib.Path):
    rows = [{"epoch": 0, "loss": 0.1 + 0.2, "text": "a\u2028b"}, {"epoch": 1, "loss": None}]
    jsonl.write(tmp_path / "metrics.jsonl", rows)
    assert jsonl.read(tmp_path / "metrics.jsonl") == rows


def test_json_lines_refuse_what_is_not_finite(tmp_path: pathlib.Path):
    with pytest.raises(UserError, match=r"line 2: a number in .* is not finite"):
        jsonl.write(tmp_path / "metrics.jsonl", [{"loss": 1.0}, {"loss": float("nan")}])
    assert not (tmp_path / "metrics.jsonl").exists()


@pytest.mark.parametrize(("line", "message"), [("{", "not JSON"), ("[1]", "must be a JSON object")])
def test_malformed_json_lines_name_the_line(tmp_path: pathlib.Path, line: str, message: str):
    (tmp_path / "metrics.jsonl").write_text('{"a": 1}\n' + line + "\n")
    with pytest.raises(UserError, match=rf"metrics\.jsonl, line 2: {message}"):
        jsonl.read(tmp_path / "metrics.jsonl")
    with pytest.raises(UserError, match="cannot read"):
        jsonl.read(tmp_path / "absent.jsonl")
