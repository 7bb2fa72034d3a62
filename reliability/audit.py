"""Whether what is installed is what the requirements name, byte for byte.

    python -m reliability.audit

Offline: every requirement is an exact pin, every pinned package is there in that version, its own
requirements are met, and its files have the hashes that it was released with. Known vulnerabilities need an
advisory service: `pip-audit -r requirements.txt`, where there is a network.
"""

import base64
import hashlib
import importlib.metadata
import pathlib
import sys
from collections.abc import Iterator

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from experiments import command
from reliability import section

FILES = ("requirements.txt", "requirements-tests.txt")


def pins(text: str, where: str) -> Iterator[tuple[Requirement | None, str]]:
    """(requirement, "") of each exact pin in force here, (None, what is wrong) of any other line."""
    for number, row in enumerate(text.splitlines(), 1):
        row = row.split("#")[0].strip()
        if not row or row.startswith("-r "):
            continue
        try:
            found = Requirement(row)
        except InvalidRequirement:
            yield None, f"{where}, line {number}: {row!r} is not a requirement"
            continue
        exact = [spec for spec in found.specifier if spec.operator == "==" and "*" not in spec.version]
        if found.url or len(exact) != 1:
            yield None, f"{where}, line {number}: {row!r} is not an exact pin"
        elif found.marker is None or found.marker.evaluate():
            yield found, ""


def faults(pin: Requirement) -> Iterator[str]:
    """What is wrong with the installed package."""
    try:
        package = importlib.metadata.distribution(pin.name)
    except importlib.metadata.PackageNotFoundError:
        yield f"{pin.name} is not installed"
        return
    if not pin.specifier.contains(package.version, prereleases=True):
        yield f"{pin.name} {package.version} is installed, not {pin.specifier}"
    yield from _unmet(package)
    yield from _altered(package)


def _unmet(package: importlib.metadata.Distribution) -> Iterator[str]:
    for needed in map(Requirement, package.requires or ()):
        if needed.marker is not None and not needed.marker.evaluate({"extra": ""}):
            continue
        try:
            version = importlib.metadata.version(needed.name)
        except importlib.metadata.PackageNotFoundError:
            yield f"{package.name} needs {needed}, which is not installed"
            continue
        if not needed.specifier.contains(version, prereleases=True):
            yield f"{package.name} needs {needed}, {version} is installed"


def _altered(package: importlib.metadata.Distribution) -> Iterator[str]:
    """Files whose content is not what the package's RECORD says."""
    for file in package.files or ():
        if file.hash is None:
            continue
        path = pathlib.Path(str(file.locate()))
        content = path.read_bytes() if path.exists() else b""
        digest = hashlib.new(file.hash.mode, content).digest()
        if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != file.hash.value:
            yield f"{package.name}: {file} is not the released file"


def audited(root: pathlib.Path) -> tuple[int, list[str]]:
    """(packages looked at, everything wrong)."""
    found = [pin for name in FILES for pin in pins((root / name).read_text(), name)]
    wrong = [what for _, what in found if what]
    packages = [pin for pin, _ in found if pin is not None]
    names = [canonicalize_name(pin.name) for pin in packages]
    wrong += [f"{name} is pinned twice" for name in sorted({n for n in names if names.count(n) > 1})]
    return len(packages), wrong + [what for pin in packages for what in faults(pin)]


def main(out: pathlib.Path = section.FOLDER) -> None:
    """Audit.

    Args:
        out: folder for audit.json.
    """
    packages, wrong = audited(section.ROOT)
    summary = f"{packages} pinned packages, {len(wrong)} faults."
    rows = [{"fault": what} for what in wrong]
    section.write(section.Section("audit", "python -m reliability.audit", summary, rows), out)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    command.run(main, prog="reliability.audit")
