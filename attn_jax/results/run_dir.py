"""The folder that one run writes: its files, its lock, and the configuration that it belongs to."""

import contextlib
import dataclasses
import pathlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attn_jax.errors import UserError
from attn_jax.results import atomic, config, lock


@dataclasses.dataclass(frozen=True)
class RunDir:
    """Where each file of a run lies."""

    path: pathlib.Path

    @property
    def config(self) -> pathlib.Path:
        """Settings, versions, commit, device; written first."""
        return self.path / "config.json"

    @property
    def metrics(self) -> pathlib.Path:
        """One row an epoch; the same bytes whenever the same command runs."""
        return self.path / "metrics.jsonl"

    @property
    def timings(self) -> pathlib.Path:
        """How long things took: never the same twice, hence apart from the metrics."""
        return self.path / "timings.jsonl"

    @property
    def records(self) -> pathlib.Path:
        """The statistics, see `records.py`."""
        return self.path / "records.csv"

    @property
    def examples(self) -> pathlib.Path:
        """One row per run, seed and instance, see `examples.py`."""
        return self.path / "examples.parquet"

    @property
    def attention(self) -> pathlib.Path:
        """Attention with several queries, of a bounded number of instances, see `attention.py`."""
        return self.path / "attention.parquet"

    @property
    def page(self) -> pathlib.Path:
        """The report."""
        return self.path / "index.html"


@contextlib.contextmanager
def opened(
    path: pathlib.Path, settings: Mapping[str, Any], *, device: str, command: Sequence[str]
) -> Iterator[RunDir]:
    """Makes or re-enters the run directory `path` and holds its lock while the block runs.

    Args:
        path: the folder, made if absent.
        settings: what the caller's numbers depend on, ready for JSON.
        device: what it computes on, as the caller names it.
        command: the command line, for people.

    Raises:
        UserError: somebody else holds it, another configuration made it (the differences are listed),
            files of other origin would be overwritten, or it cannot be written.
    """
    run = RunDir(path)
    _make(path)
    with _locked(path):
        atomic.sweep(path)
        _claim(run, config.build(settings, device=device, command=command))
        yield run


def _make(path: pathlib.Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"cannot make the folder {path}: {error.strerror}; choose another one.") from error


@contextlib.contextmanager
def _locked(path: pathlib.Path) -> Iterator[None]:
    """The folder's lock; only what goes wrong in taking it is the folder's fault."""
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(lock.held(path / "lock"))
        except OSError as error:
            raise UserError(
                f"cannot lock the folder {path}: {error.strerror}; choose another one."
            ) from error
        yield


def _claim(run: RunDir, new: config.Config) -> None:
    """Writes the configuration into a fresh folder, or checks that it is the one that stands there."""
    if not run.config.exists():
        _refuse_strangers(run)
        atomic.write_text(run.config, config.dumps(new))
        return
    changed = config.differences(config.read(run.config), new)
    if changed:
        lines = "".join(f"\n  {line}" for line in changed)
        raise UserError(
            f"{run.path} was made by another configuration; choose another folder or delete it. "
            f"What differs (there -> now):{lines}"
        )


def _refuse_strangers(run: RunDir) -> None:
    """The configuration is written first, so our files without it are not ours."""
    names = [p.name for p in (run.records, run.examples, run.metrics, run.page) if p.exists()]
    if names:
        raise UserError(f"{run.path} holds {', '.join(names)} but no config.json; choose another folder.")
