"""A news post's own words: no header, no quotation, no signature."""

import re

_QUOTED = re.compile(r"writes in|writes:|wrote:|says:|said:|^In article|^Quoted from|^[|>]")


def body(post: str) -> str:
    """What the author of the post wrote, and nothing else."""
    _, _, text = post.partition("\n\n")
    return "\n".join(line for line in _unsigned(text).split("\n") if not _QUOTED.search(line))


def _unsigned(text: str) -> str:
    """Cuts after the last line that is blank or made of dashes, unless nothing would be left."""
    rows = text.strip().split("\n")
    for last in range(len(rows) - 1, 0, -1):
        if not rows[last].strip().strip("-"):
            return "\n".join(rows[:last])
    return text
