"""Puts the figures of docs/reliability/*.json into docs/reliability.md.

    python -m reliability.page

The text around them is written by hand; what stands between `<!-- NAME -->` and `<!-- /NAME -->` never is.
"""

import re

from attn_jax.results import atomic
from reliability import section

PAGE = section.ROOT / "docs" / "reliability.md"
_PART = re.compile(r"(<!-- (\w+) -->\n).*?(<!-- /\2 -->)", re.DOTALL)


def filled(text: str) -> str:
    """The page with each part as its JSON says, "Not run." where there is none."""

    def part(match: re.Match) -> str:
        found = section.read(match[2])
        return match[1] + (found.markdown() if found else "Not run.\n") + match[3]

    return _PART.sub(part, text)


if __name__ == "__main__":
    atomic.write_text(PAGE, filled(PAGE.read_text(encoding="utf-8")))
