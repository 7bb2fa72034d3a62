"""Finds a corpus's files in the user's folder, unpacking what is in archives."""

import contextlib
import dataclasses
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from attn_jax.data.loaders import archives
from attn_jax.data.loaders.raw import RawExample
from attn_jax.data.specs.spec import DatasetSpec, Layout, Part, Source
from attn_jax.data.text import TextRules
from attn_jax.errors import UserError


@dataclasses.dataclass(frozen=True)
class Item:
    """A file as the user has it: `name` within the folder or within `archive`."""

    name: str
    path: Path
    archived: bool = False


@dataclasses.dataclass(frozen=True)
class Found:
    """A `Reader` of the layout that is there, from its files."""

    layout: Layout
    files: dict[Part, list[Path]]

    @property
    def parts(self) -> tuple[Part, ...]:
        """The layout's parts."""
        return tuple(self.layout.parts)

    @property
    def rules(self) -> TextRules | None:
        """The layout's rules."""
        return self.layout.rules

    @property
    def caveat(self) -> str:
        """The layout's caveat."""
        return self.layout.caveat

    def read(self, part: Part) -> Iterator[RawExample]:
        """By the part's own loader."""
        source = self.layout.parts[part]
        return source.loader.read(self.files[part], source.labels)


def corpus_folder(data_dir: Path, spec: DatasetSpec) -> Path:
    """`data_dir` itself, or the corpus's folder in it."""
    if not data_dir.is_dir():
        raise UserError(f"{data_dir}: no such folder; {expectation(spec)}.")
    inner = [data_dir / name for name in (spec.name, *spec.folders)]
    return next((folder for folder in inner if folder.is_dir()), data_dir)


def present(data_dir: Path, spec: DatasetSpec) -> bool:
    """Whether the parent folder holds a folder of the corpus with all the files of one of its forms."""
    folder = corpus_folder(data_dir, spec)
    return folder != data_dir and any(not _missing(layout, _items(folder)) for layout in spec.layouts)


def raw_files(folder: Path) -> list[Path]:
    """All files below the folder, hidden ones left out, in a fixed order."""
    visible = (path for path in folder.rglob("*") if not path.name.startswith("."))
    return sorted(path for path in visible if path.is_file())


@contextlib.contextmanager
def opened(folder: Path, spec: DatasetSpec) -> Iterator[Found]:
    """The corpus's files as paths; those from archives live as long as the context."""
    items = _items(folder)
    layout = _choose(folder, spec, items)
    wanted = {part: _matches(source, items) for part, source in layout.parts.items()}
    with tempfile.TemporaryDirectory(prefix="attn_jax_") as scratch:
        unpacked = _unpack([item for part in wanted.values() for item in part], Path(scratch))
        yield Found(layout, {part: [unpacked[item] for item in found] for part, found in wanted.items()})


def _items(folder: Path) -> list[Item]:
    items = []
    for path in raw_files(folder):
        if archives.is_archive(path):
            items += [Item(name, path, archived=True) for name in archives.members(path)]
        else:
            items.append(Item(path.relative_to(folder).as_posix(), path))
    return items


def _matches(source: Source, items: list[Item]) -> list[Item]:
    return [item for pattern in source.patterns for item in _matching(pattern, items)]


def _matching(pattern: str, items: list[Item]) -> list[Item]:
    """The items of the first alternative that has any, in the order of their names."""
    for alternative in pattern.split("|"):
        found = [item for item in items if _fits(item.name, alternative)]
        if found:
            return sorted(found, key=lambda item: item.name)
    return []


def _fits(name: str, pattern: str) -> bool:
    return PurePosixPath(name.removesuffix(".gz")).match(pattern)


def _choose(folder: Path, spec: DatasetSpec, items: list[Item]) -> Layout:
    missing = [_missing(layout, items) for layout in spec.layouts]
    for layout, absent in zip(spec.layouts, missing, strict=True):
        if not absent:
            return layout
    # Of the forms that are not complete, the one that lacks least is most likely the one meant.
    lacks = ", ".join(min(missing, key=len))
    raise UserError(f"{folder}: missing {lacks}; {expectation(spec)}.")


def _missing(layout: Layout, items: list[Item]) -> list[str]:
    patterns = [pattern for source in layout.parts.values() for pattern in source.patterns]
    return [pattern.replace("|", " or ") for pattern in patterns if not _matching(pattern, items)]


def expectation(spec: DatasetSpec) -> str:
    """Which files the corpus is read from, and where they are published."""
    forms = (
        ", ".join(
            pattern.replace("|", " or ") for source in layout.parts.values() for pattern in source.patterns
        )
        for layout in spec.layouts
    )
    return f"{spec.title} is read from {'; or '.join(forms)} (plain, .gz or archived), see {spec.published}"


def _unpack(items: list[Item], scratch: Path) -> dict[Item, Path]:
    """A path for each item; each archive is passed through once, into a folder of its own."""
    paths = {item: item.path for item in items if not item.archived}
    for number, archive in enumerate(sorted({item.path for item in items if item.archived})):
        inside = {item.name: item for item in items if item.archived and item.path == archive}
        written = archives.extract(archive, set(inside), scratch / str(number))
        paths |= {inside[name]: path for name, path in written.items()}
    return paths
