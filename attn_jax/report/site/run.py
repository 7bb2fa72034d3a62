"""The runs that a site shows: of each its records, and the folder of its files where there is one."""

import dataclasses
import functools
import itertools
import pathlib
import re
from collections.abc import Iterable, Sequence

from attn_jax.report import material
from attn_jax.report.material import Material
from attn_jax.results import pool, records, verdict
from attn_jax.results.records import Record
from attn_jax.results.run_dir import RunDir
from attn_jax.results.verdict import Verdict


@dataclasses.dataclass(frozen=True)
class Run:
    """One run; `slug` names its files and is unique in the site."""

    slug: str
    records: tuple[Record, ...]
    folder: RunDir | None  # None where only the records are known

    @property
    def subject(self) -> tuple[str, str, str, str]:
        """Data set, encoder, attention, variant."""
        first = self.records[0]
        return first.dataset, first.encoder, first.attention, first.variant

    @property
    def title(self) -> str:
        """Its subject in words: sst · bilstm · additive."""
        return " · ".join(part for part in self.subject if part)

    @functools.cached_property
    def verdict(self) -> Verdict:
        """What the tests say of its attention; a study may hold other variants of the model beside it."""
        return verdict.of(record for record in self.records if record.variant == self.subject[-1])

    def material(self) -> Material | None:
        """All of a finished run, read anew; None where only its records are there."""
        if self.folder is None or not self.folder.examples.exists():
            return None
        return material.load(self.folder.path)

    @property
    def caveats(self) -> list[str]:
        """What differs from a published set-up, each once."""
        return list(dict.fromkeys(record.caveat for record in self.records if record.caveat))


def read(folders: Sequence[pathlib.Path]) -> list[Run]:
    """Every run in or below the folders; a gathered `records.csv` may hold many.

    Raises:
        UserError: a folder is missing, holds no records, or a file is malformed.
    """
    found = [part for path in pool.paths(folders) for part in _parts(path)]
    slugs = _unique(_slug(name) for name, _, _ in found)
    runs = [Run(slug, made, folder) for slug, (_, made, folder) in zip(slugs, found, strict=True)]
    return sorted(runs, key=lambda run: (run.subject, run.slug))


def _parts(path: pathlib.Path) -> list[tuple[str, tuple[Record, ...], RunDir | None]]:
    """(name, records, folder) of each run in a file; the folder is only that of a file's single run."""
    made = sorted(records.read(path), key=lambda record: record.run)
    parts = [(name, tuple(part)) for name, part in itertools.groupby(made, key=lambda record: record.run)]
    folder = RunDir(path.parent) if len(parts) == 1 and RunDir(path.parent).config.exists() else None
    return [(name or path.parent.name, part, folder) for name, part in parts]


def _slug(name: str) -> str:
    """Names come from files: only letters and digits reach a path."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60] or "run"


def _unique(slugs: Iterable[str]) -> list[str]:
    seen: dict[str, int] = {}
    unique = []
    for slug in slugs:
        seen[slug] = seen.get(slug, 0) + 1
        unique.append(slug if seen[slug] == 1 else f"{slug}--{seen[slug]}")
    return unique
