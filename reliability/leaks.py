"""Looks for secrets in every file that git tracks.

python -m reliability.leaks
"""

import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator

from reliability import section

PATTERNS = {
    "private key": re.compile(rb"-----BEGIN [A-Z ]*PRIVATE KEY"),
    "AWS key": re.compile(rb"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    "GitHub token": re.compile(rb"\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{60,})"),
    "API key": re.compile(rb"\b(?:sk|pk|rk)[-_](?:live|test|ant|proj)?[-_]?[A-Za-z0-9]{24,}"),
    "Slack token": re.compile(rb"\bxox[abprs]-[A-Za-z0-9-]{10,}"),
    "Google key": re.compile(rb"\bAIza[0-9A-Za-z_-]{35}"),
    "web token": re.compile(rb"\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\."),
    "password in an address": re.compile(rb"\b[a-z]+://[^\s:/@]+:[^\s:/@]{3,}@"),
    "password": re.compile(
        rb"(?i)\b(?:password|passwd|secret|api_?key)\b[\"']?\s*[:=]\s*[\"'][^\"'\s]{8,}[\"']"
    ),
}


def leaks(content: bytes) -> Iterator[tuple[int, str]]:
    """(line, what it looks like) of each."""
    for what, pattern in PATTERNS.items():
        for match in pattern.finditer(content):
            yield content.count(b"\n", 0, match.start()) + 1, what


def tracked(root: pathlib.Path) -> list[pathlib.Path]:
    """The files of the checkout."""
    listed = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z"], capture_output=True, check=True, timeout=60
    )
    return [root / name for name in listed.stdout.decode().split("\0") if name]


def main() -> None:
    """Scan and say."""
    files = [path for path in tracked(section.ROOT) if path.is_file()]
    found = [(path, *leak) for path in files for leak in leaks(path.read_bytes())]
    for path, line, what in found:
        print(f"{path.relative_to(section.ROOT)}, line {line}: looks like a {what}", file=sys.stderr)
    print(f"{len(files)} files, {len(found)} possible secrets")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
