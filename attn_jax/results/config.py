"""What a run was: settings, versions, commit and device, and how two of them differ."""

import datetime
import importlib.metadata
import json
import pathlib
import platform
import shlex
import socket
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attn_jax
from attn_jax.errors import UserError

Config = dict[str, Any]

_LIBRARIES = ("jax", "jaxlib", "flax", "optax", "numpy", "scipy", "polars")
_ABSENT = "(absent)"


def build(settings: Mapping[str, Any], *, device: str, command: Sequence[str]) -> Config:
    """The configuration of a run about to start, ready for JSON.

    All but the block `run` decides the numbers, and is the same whenever the same command runs again
    on the same machine; `run` holds what may differ from one start to the next. The commit stands
    there: a later one of unrelated files must not stop a run of days from being resumed.
    """
    config = {
        "settings": settings,
        "versions": _versions(),
        "device": device,
        "run": {
            "command": shlex.join(command),
            "commit": _commit(),
            "edited": _edited(),
            "host": socket.gethostname(),
            "time": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        },
    }
    return json.loads(json.dumps(config, allow_nan=False))  # tuples become lists, as when read back


def dumps(config: Config) -> str:
    """The text of `config.json`: the same configuration is the same text."""
    return json.dumps(config, indent=2, sort_keys=True, allow_nan=False) + "\n"


def read(path: pathlib.Path) -> Config:
    """The configuration in a file.

    Raises:
        UserError: it is missing or no configuration.
    """
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(
            f"cannot read the configuration {path}: {error}; run the experiment again."
        ) from error
    if not isinstance(config, dict) or not isinstance(config.get("settings"), dict):
        raise UserError(f"{path} is not the configuration of a run; choose another folder.")
    return config


def differences(old: Config, new: Config) -> list[str]:
    """One line for each leaf that differs ("settings.epochs: 8 -> 4"), the block `run` left out."""
    before, after = dict(_leaves(old)), dict(_leaves(new))
    names = [name for name in sorted({*before, *after}) if before.get(name) != after.get(name)]
    return [f"{name}: {before.get(name, _ABSENT)} -> {after.get(name, _ABSENT)}" for name in names]


def _leaves(config: Config) -> Iterator[tuple[str, str]]:
    """(dotted name, JSON) of every leaf outside the block `run`; a list is one leaf."""
    todo = [(name, value) for name, value in config.items() if name != "run"]
    while todo:
        name, value = todo.pop()
        if isinstance(value, dict) and value:
            todo += [(f"{name}.{inner}", child) for inner, child in value.items()]
        else:
            yield name, json.dumps(value, sort_keys=True)


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version(), "attn_jax": attn_jax.__version__}
    for name in _LIBRARIES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = _ABSENT
    return found


def _commit() -> str:
    """The commit of our own checkout, "" where there is none.

    An installed package may lie inside somebody else's checkout, whose commit says nothing about us.
    """
    return _git("rev-parse", "HEAD")


def _edited() -> bool:
    """Whether tracked files differ from that commit; among what may change between two starts."""
    return bool(_git("status", "--porcelain", "--untracked-files=no"))


def _git(*arguments: str) -> str:
    """What git says about the checkout that holds this package, "" where there is no such checkout."""
    root = pathlib.Path(attn_jax.__file__).parents[1]
    if not (root / ".git").exists():
        return ""
    command = ["git", "-C", str(root), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()
