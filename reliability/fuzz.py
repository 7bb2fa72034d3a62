"""Throws wrong input at every command line and at the reader of people's own files.

    python -m reliability.fuzz --inputs 2000

Whatever comes in, a command ends with exit code 0 or with one sentence and exit code 2, or it gets as far
as opening its run directory, where this harness stops it. One core: about two minutes.
"""

import collections
import contextlib
import importlib
import inspect
import io
import os
import pathlib
import random
import sys
import tempfile
import types
from collections.abc import Callable, Iterator

import tyro

from attn_jax.errors import UserError
from experiments import command
from reliability import section

GOOD = {
    "dataset": ["reviews"],
    "encoder": ["average", "bilstm,cnn", "all"],
    "attention": ["additive", "dot", "all"],
    "seeds": ["1", "3"],
    "preset": ["quick"],
    "variant": ["base", "tying"],
    "settings": ["paper", "released"],
    "model": ["bahdanau"],
}
JUNK = [
    *("", " ", "-", "--", ",", "ü", "☃🙈", "\u202e", "a" * 5000, "all,all", "reviews,", ".jsonl"),
    *("0", "-1", "1.5", "1e400", "9" * 30, "0x10", "nan", "inf", "None", "True", "../..", "/dev/null"),
    *("missing.csv", "reviews.jsonl", "'; drop", "{}", "%s", "\\", "$HOME", "a\nb", "/proc/self/mem"),
]
BYTES = [
    *(b"", b"\x00", b"\xff\xfe", b'"', b"{", b"}", b"[[0,", b"\n", b"\r", b",", b"\t"),
    *(b"9" * 400, "é☃".encode()),
]
FILES = {
    ".jsonl": b'{"text": "a good film", "label": 1}\n{"text": "bad", "label": 0, "rationale": [[0, 3]]}\n'
    * 12,
    ".csv": b"text,label,text2\n" + b'"a ""good"" film",yes,really\nbad,no,why\n' * 12,
    ".tsv": b"text\tlabel\trationale\n" + b"a good film\t1\t2:6\nbad\t0\t0:3\n" * 12,
}


class ReachedError(Exception):
    """The input was accepted: a run would now begin."""


def commands() -> list[str]:
    """Every module of `experiments` that a user can start."""
    sources = sorted((section.ROOT / "experiments").glob("*.py"))
    return [f"experiments.{path.stem}" for path in sources if "    command.run(main" in path.read_text()]


def line(main: Callable, dice: random.Random, out: pathlib.Path) -> list[str]:
    """A command line for `main`: some arguments right, some wrong, some missing, some of no meaning."""
    words = []
    for name, parameter in inspect.signature(main).parameters.items():
        value = dice.choice(GOOD.get(name, JUNK) if dice.random() < 0.8 else JUNK)
        value = str(out) if name == "out" and dice.random() < 0.9 else value
        needed = parameter.default is inspect.Parameter.empty
        if dice.random() < (0.95 if needed else 0.3 if name in GOOD else 0.1):
            placed = tyro.conf.Positional in getattr(parameter.annotation, "__metadata__", ())
            flag = [] if placed else [f"--{name.replace('_', '-')}"]
            words += [*flag, value]
    if dice.random() < 0.15:
        words.insert(dice.randint(0, len(words)), dice.choice([*JUNK, "--no-such", "--help", "-x"]))
    return words


def ending(module: types.ModuleType, words: list[str]) -> str:
    """How the command ends, in this process; anything but what is allowed is its exception."""
    sys.argv = [module.__name__, *words]
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            command.run(module.main, prog=module.__name__)
    except ReachedError:
        return "accepted"
    except SystemExit as stop:
        if stop.code == 2:
            return "refused in a sentence" if said.getvalue().strip() else "refused without a word"
        return "exit code 0" if stop.code in (0, None) else f"exit code {stop.code}"
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    return "exit code 0"


ALLOWED = {"accepted", "refused in a sentence", "exit code 0"}


@contextlib.contextmanager
def no_run_begins() -> Iterator[None]:
    """Stops every command as it opens its run directory."""
    from attn_jax.results import run_dir

    def stop(*_: object, **__: object) -> None:
        raise ReachedError

    kept = run_dir.opened
    run_dir.opened = stop
    try:
        yield
    finally:
        run_dir.opened = kept


def fuzz_commands(inputs: int, dice: random.Random) -> Iterator[tuple[str, str, object]]:
    """(command, how it ended, the input) of so many command lines each."""
    modules = {name: importlib.import_module(name) for name in commands()}
    with tempfile.TemporaryDirectory() as folder, no_run_begins():
        here = pathlib.Path(
            folder, "work", "here"
        )  # whatever is written to a junk path stays below the folder
        here.mkdir(parents=True)
        for name, module in modules.items():
            for _ in range(inputs):
                words = line(module.main, dice, here / "out")
                os.chdir(here)
                try:
                    how = ending(module, words)
                finally:
                    os.chdir(section.ROOT)
                yield name, how, words


def mangled(content: bytes, dice: random.Random) -> bytes:
    """A good file with up to four pieces cut out, doubled or replaced by junk."""
    for _ in range(dice.randint(1, 4)):
        start = dice.randint(0, len(content))
        end = min(len(content), start + dice.choice((0, 1, 1, 5, 40)))
        content = content[:start] + dice.choice([*BYTES, content[start:end] * 2]) + content[end:]
    return content


def fuzz_files(inputs: int, dice: random.Random) -> Iterator[tuple[str, str, object]]:
    """(kind of file, how reading it ended, its bytes) of so many files each."""
    from attn_jax.data.load import load

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for suffix, good in FILES.items():
            for number in range(inputs):
                content = mangled(good, dice)
                path = folder / f"{number}{suffix}"
                path.write_bytes(content)
                try:
                    load(str(path), None, cache_dir=folder / "cache")
                    how = "accepted"
                except UserError:
                    how = "refused in a sentence"
                except Exception as error:
                    how = f"{type(error).__name__}: {error}"
                yield f"own {suffix} file", how, content


def harness(inputs: int, seed: int) -> tuple[section.Section, list[tuple[str, str, object]]]:
    """The figures, and every input that ended otherwise than allowed."""
    dice = random.Random(seed)
    found = [*fuzz_commands(inputs, dice), *fuzz_files(inputs, dice)]
    wrong = [each for each in found if each[1] not in ALLOWED]
    rows = []
    for target in dict.fromkeys(each[0] for each in found):
        counts = collections.Counter(how for name, how, _ in found if name == target)
        rows.append(
            {
                "target": target,
                **{how: counts[how] for how in sorted(ALLOWED)},
                "otherwise": sum(counts.values()) - sum(counts[how] for how in ALLOWED),
            }
        )
    summary = f"{len(found)} inputs, {len(wrong)} of which ended otherwise than with 0, or a sentence and 2."
    said = f"python -m reliability.fuzz --inputs {inputs} --seed {seed}"
    return section.Section("fuzz", said, summary, rows), wrong


def main(inputs: int = 300, seed: int = 0, out: pathlib.Path = section.FOLDER) -> None:
    """Fuzz.

    Args:
        inputs: how many a command and a kind of file.
        seed: of the inputs.
        out: folder for fuzz.json.
    """
    found, wrong = harness(inputs, seed)
    section.write(found, out)
    for target, how, what in wrong[:40]:
        print(f"{target}: {how[:300]}\n    {str(what)[:300]}", file=sys.stderr)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    command.run(main, prog="reliability.fuzz")
