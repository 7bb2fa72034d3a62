"""The reference: what each public function and class says of itself, read from the source, never imported."""

import ast
import dataclasses
import pathlib
import re
from collections.abc import Iterator

_SECTION = re.compile(r"(Args|Returns|Raises|Yields):\s*$")


@dataclasses.dataclass(frozen=True)
class Section:
    """A part of a docstring: prose under no name, entries under "Args" and the like."""

    name: str
    lines: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Entry:
    """A function or a class; `members` are the public methods of a class."""

    name: str
    signature: str
    sections: tuple[Section, ...]
    members: tuple["Entry", ...] = ()


@dataclasses.dataclass(frozen=True)
class Module:
    """One file by its dotted name."""

    name: str
    sections: tuple[Section, ...]
    entries: tuple[Entry, ...]


def modules(folder: pathlib.Path, prefix: str) -> list[Module]:
    """Every documented module in a folder, or the one file that is named."""
    paths = sorted(folder.rglob("*.py")) if folder.is_dir() else [folder]
    found = [_module(path, _dotted(path, folder, prefix)) for path in paths]
    return [module for module in found if module.sections or module.entries]


def _dotted(path: pathlib.Path, folder: pathlib.Path, prefix: str) -> str:
    inside = path.relative_to(folder).with_suffix("") if folder.is_dir() else pathlib.PurePath()
    parts = [part for part in (prefix, *inside.parts) if part != "__init__"]
    return ".".join(parts)


def _module(path: pathlib.Path, name: str) -> Module:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return Module(name, _sections(ast.get_docstring(tree)), tuple(_entries(tree.body)))


def _entries(body: list[ast.stmt]) -> Iterator[Entry]:
    """The public ones that say something of themselves."""
    for node in body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef) or node.name.startswith("_"):
            continue
        sections = _sections(ast.get_docstring(node))
        if sections and isinstance(node, ast.ClassDef):
            yield Entry(node.name, _fields(node), sections, tuple(_entries(node.body)))
        elif sections and isinstance(node, ast.FunctionDef):
            yield Entry(node.name, _signature(node), sections)


def _signature(node: ast.FunctionDef) -> str:
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{node.name}({ast.unparse(node.args)}){returns}"


def _fields(node: ast.ClassDef) -> str:
    """The annotated fields of a dataclass or module, a line each."""
    fields = [ast.unparse(field) for field in node.body if isinstance(field, ast.AnnAssign)]
    bases = f"({', '.join(map(ast.unparse, node.bases))})" if node.bases else ""
    return "\n    ".join([f"class {node.name}{bases}", *fields])


def _sections(docstring: str | None) -> tuple[Section, ...]:
    """Paragraphs, then the named parts of Google's style."""
    made: list[Section] = []
    for block in re.split(r"\n\s*\n", docstring or ""):
        lines = block.strip("\n").splitlines()
        if not lines:
            continue
        named = _SECTION.match(lines[0])
        if named:
            made.append(Section(named[1], tuple(_items(lines[1:]))))
        else:
            made.append(Section("code" if lines[0].startswith("    ") else "", ("\n".join(lines),)))
    return tuple(made)


def _items(lines: list[str]) -> list[str]:
    """One text an argument: deeper lines go on with the one above."""
    depth = min((len(line) - len(line.lstrip()) for line in lines), default=0)
    items: list[str] = []
    for line in lines:
        if items and len(line) - len(line.lstrip()) > depth:
            items[-1] += f" {line.strip()}"
        else:
            items.append(line.strip())
    return items
