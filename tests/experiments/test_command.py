"""Every way a command can end is a sentence and an exit code."""

import errno
import os
import platform
import signal
import subprocess
import sys

import pytest

from attn_jax.errors import UserError
from experiments import command


def ends(monkeypatch, error):
    def main() -> None:
        raise error

    monkeypatch.setattr(sys, "argv", ["test"])
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    with pytest.raises(SystemExit) as stop:
        command.run(main, prog="experiments.test")
    return stop.value.code


def test_bad_input_is_its_sentence(monkeypatch, capsys):
    assert ends(monkeypatch, UserError("file.csv, line 3: no label; add one.")) == command.BAD_INPUT
    assert capsys.readouterr().err == "experiments.test: file.csv, line 3: no label; add one.\n"


THREAD = """
class Half:
    def __del__(self):
        raise RuntimeError({!r})
half = Half()
"""
COROUTINE = """
async def reading():
    try:
        await asyncio.sleep(60)
    finally:
        raise ValueError("another array of the damaged checkpoint")
half = reading()
half.send(None)
"""


@pytest.mark.parametrize(
    ("leftover", "told"),
    [(THREAD.format("Event loop is closed"), False), (COROUTINE, False), (THREAD.format("mine"), True)],
)
def test_what_outlives_a_failed_checkpoint_is_not_told_of(leftover, told):
    """Each would print a traceback of its own beside the sentence; anything else is shown."""
    code = f"""
import asyncio
from attn_jax.errors import UserError
from experiments import command
asyncio.sleep = lambda _: asyncio.Future(loop=asyncio.new_event_loop())
{leftover}
def main() -> None:
    global half
    del half
    raise UserError("the checkpoint is damaged; delete it.")
command.run(main, prog="experiments.test")
"""
    line = [sys.executable, "-W", "ignore", "-c", code]
    done = subprocess.run(line, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == command.BAD_INPUT
    assert done.stderr.endswith("experiments.test: the checkpoint is damaged; delete it.\n")
    assert ("Traceback" in done.stderr) == told


def test_a_full_disk_is_named_however_deep_it_lies(monkeypatch, capsys):
    wrapped = ValueError("RESOURCE_EXHAUSTED: writing failed")
    wrapped.__cause__ = OSError(errno.ENOSPC, "No space left on device")
    for error in (OSError(errno.ENOSPC, "full"), wrapped, ValueError("x: No space left on device [28]")):
        assert ends(monkeypatch, error) == command.BAD_INPUT
        assert "the disk is full; make room" in capsys.readouterr().err


def test_a_path_that_no_file_can_have_is_named(monkeypatch, capsys):
    assert ends(monkeypatch, OSError(errno.ENAMETOOLONG, "File name too long", "a" * 300)) == 2
    said = capsys.readouterr().err
    assert said == f"experiments.test: {'a' * 200} cannot be used: File name too long; name another path.\n"


@pytest.mark.parametrize(
    "error", [MemoryError(), RuntimeError("RESOURCE_EXHAUSTED: Out of memory allocating 9 bytes.")]
)
def test_exhausted_memory_is_named(monkeypatch, capsys, error):
    assert ends(monkeypatch, error) == command.BAD_INPUT
    assert "the memory is exhausted" in capsys.readouterr().err


@pytest.fixture
def own_signals():
    """The handler of Ctrl-C as it was."""
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_says_how_to_go_on_and_a_second_one_ends_it_at_once(monkeypatch, capsys, own_signals):
    assert ends(monkeypatch, KeyboardInterrupt()) == command.STOPPED
    assert "the same command goes on from here" in capsys.readouterr().err
    codes = []
    monkeypatch.setattr(os, "_exit", codes.append)
    os.kill(os.getpid(), signal.SIGINT)
    assert codes == [command.STOPPED]


def test_a_fault_of_ours_keeps_its_traceback(monkeypatch):
    def main() -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(sys, "argv", ["test"])
    with pytest.raises(ZeroDivisionError):
        command.run(main, prog="experiments.test")


PAGES = """
import ctypes, resource
from experiments import command
{}
library = ctypes.CDLL(None)
library.malloc.restype, library.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
library.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
for _ in range(2):
    before, block = resource.getrusage(resource.RUSAGE_SELF).ru_minflt, library.malloc(1 << 26)
    library.memset(block, 1, 1 << 26)
    library.free(block)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only GNU's C library can be asked")
def test_memory_that_was_freed_is_there_for_the_next_batch_without_new_pages():
    def faults(line: str) -> int:
        words = [sys.executable, "-c", PAGES.format(line)]
        done = subprocess.run(words, capture_output=True, check=True, timeout=60)
        return int(done.stdout)

    assert faults("command.keep_memory()") * 10 < faults("")


def test_another_c_library_is_left_as_it_is(monkeypatch):
    class Other:
        def __init__(self, name):
            pass  # and no mallopt

    monkeypatch.setattr(command.ctypes, "CDLL", Other)
    command.keep_memory()
