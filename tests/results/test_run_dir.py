import json
import os
import pathlib
import signal
import socket
import subprocess
import sys

import pytest

from attn_jax.errors import UserError
from attn_jax.results import config, lock, run_dir

SETTINGS = {"dataset": "reviews", "epochs": 8, "epsilon_grid": (0.01, 0.05), "model": {"hidden": 4}}
HOLD = """
import pathlib, sys, time
from attn_jax.results import lock
with lock.held(pathlib.Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def enter(path: pathlib.Path, settings=SETTINGS, device="cpu"):
    return run_dir.opened(path, settings, device=device, command=["python", "-m", "x", "a b"])


@pytest.fixture
def holder(tmp_path):
    """Another process that holds the lock of `tmp_path`."""
    command = [sys.executable, "-c", HOLD, str(tmp_path / "lock")]
    root = pathlib.Path(run_dir.__file__).parents[2]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root)
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "held\n"
        yield process
    finally:
        process.kill()
        process.wait(timeout=60)
        process.stdout.close()


def test_the_first_entry_writes_the_configuration(tmp_path: pathlib.Path):
    with enter(tmp_path / "run") as run:
        assert run.config == tmp_path / "run" / "config.json"
    written = json.loads(run.config.read_text())
    assert written["settings"]["epsilon_grid"] == [0.01, 0.05]
    assert written["device"] == "cpu"
    assert written["versions"]["python"] == ".".join(map(str, sys.version_info[:3]))
    assert written["run"]["command"] == "python -m x 'a b'"
    assert written["run"]["host"] == socket.gethostname()
    assert "jax" in written["versions"]


def test_the_same_configuration_may_go_on(tmp_path: pathlib.Path):
    with enter(tmp_path) as run:
        before = run.config.read_bytes()
    with enter(tmp_path):
        assert run.config.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["config.json"]


def test_what_a_killed_process_was_writing_is_swept_away(tmp_path: pathlib.Path):
    (tmp_path / ".records.csv.abc123.tmp").write_text("half a rec")
    (tmp_path / "notes.tmp").write_text("somebody's own")
    with enter(tmp_path):
        assert sorted(p.name for p in tmp_path.iterdir()) == ["config.json", "lock", "notes.tmp"]


def test_another_configuration_is_refused_and_shown(tmp_path: pathlib.Path):
    with enter(tmp_path):
        pass
    changed = SETTINGS | {"epochs": 4, "model": {"hidden": 4, "layers": 2}}
    with pytest.raises(UserError) as caught, enter(tmp_path, changed, device="gpu"):
        pass
    lines = str(caught.value).splitlines()[1:]
    assert lines == [
        '  device: "cpu" -> "gpu"',
        "  settings.epochs: 8 -> 4",
        "  settings.model.layers: (absent) -> 2",
    ]


def test_the_run_block_is_not_compared():
    first = config.build(SETTINGS, device="cpu", command=["a"])
    second = config.build(SETTINGS, device="cpu", command=["b"])
    assert first["run"] != second["run"]
    assert config.differences(first, second) == []


def test_a_later_commit_does_not_stop_a_run(monkeypatch, tmp_path: pathlib.Path):
    monkeypatch.setattr(config, "_commit", lambda: "0123abcd")
    with enter(tmp_path) as run:
        assert json.loads(run.config.read_text())["run"]["commit"] == "0123abcd"
    monkeypatch.setattr(config, "_commit", lambda: "4567cdef")
    with enter(tmp_path):
        assert json.loads(run.config.read_text())["run"]["commit"] == "0123abcd"


@pytest.mark.parametrize("name", ["versions", "device", "settings"])
def test_what_decides_the_numbers_is_compared(name: str):
    first = config.build(SETTINGS, device="cpu", command=["a"])
    second = first | {name: {"other": 1}}
    assert config.differences(first, second)


def test_the_commit_is_our_own(monkeypatch, tmp_path: pathlib.Path):
    root = pathlib.Path(run_dir.__file__).parents[2]
    if not (root / ".git").exists():
        pytest.skip("not a checkout")
    head = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=root, text=True, timeout=30)
    assert config._commit() == head.strip()
    monkeypatch.setattr(config.attn_jax, "__file__", str(tmp_path / "attn_jax" / "__init__.py"))
    assert config._commit() == ""


def test_files_of_other_origin_are_not_overwritten(tmp_path: pathlib.Path):
    (tmp_path / "index.html").write_text("my home page")
    with pytest.raises(UserError, match=r"holds index\.html but no config\.json"), enter(tmp_path):
        pass


@pytest.mark.parametrize("text", ["{", "[]", '{"settings": 1}'])
def test_a_broken_configuration_is_one_sentence(tmp_path: pathlib.Path, text: str):
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(UserError, match=r"config\.json"), enter(tmp_path):
        pass


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: pathlib.Path):
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(UserError, match="cannot make the folder"), enter(place):
            pass


def test_an_error_inside_the_block_passes_through_and_frees_the_lock(tmp_path: pathlib.Path):
    with pytest.raises(OSError, match="mine"), enter(tmp_path):
        raise OSError("mine")
    with enter(tmp_path):
        pass


def test_two_processes_cannot_share_a_folder(tmp_path: pathlib.Path, holder: subprocess.Popen):
    with pytest.raises(UserError, match=f"in use by process {holder.pid} on host"), enter(tmp_path):
        pass


def test_the_lock_of_a_killed_process_is_taken_over(tmp_path: pathlib.Path, holder: subprocess.Popen):
    holder.send_signal(signal.SIGKILL)
    holder.wait(timeout=60)
    assert json.loads((tmp_path / "lock").read_text())["pid"] == holder.pid
    with lock.held(tmp_path / "lock"):
        assert json.loads((tmp_path / "lock").read_text())["pid"] == os.getpid()
    assert not (tmp_path / "lock").exists()


def test_a_half_written_lock_is_taken_over(tmp_path: pathlib.Path):
    (tmp_path / "lock").write_text('{"pid": 1')
    with lock.held(tmp_path / "lock"):
        pass


def test_the_lock_of_another_host_is_left(tmp_path: pathlib.Path):
    (tmp_path / "lock").write_text('{"pid": 7, "host": "elsewhere.example"}')
    with pytest.raises(UserError, match=r"process 7 on host elsewhere\.example.*delete"), enter(tmp_path):
        pass
    assert (tmp_path / "lock").exists()


def test_one_process_cannot_enter_twice(tmp_path: pathlib.Path):
    with enter(tmp_path), pytest.raises(UserError, match=f"process {os.getpid()}"), enter(tmp_path):
        pass
