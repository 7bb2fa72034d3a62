"""The verdict as plain text."""

import textwrap

from attn_jax.results import facts, findings
from attn_jax.results.findings import Stance
from attn_jax.results.verdict import Verdict

MARKS: dict[Stance, str] = {
    "for": "[for]",
    "against": "[against]",
    "mixed": "[in part]",
    "silent": "[open]",
    "context": "",
}


def text(verdict: Verdict, *, title: str, width: int = 88) -> str:
    """Title, headline and findings, wrapped to `width` columns, without colour or cursor codes."""
    parts = [printable(title), "=" * min(len(title), width), "", textwrap.fill(verdict.headline, width), ""]
    for finding in verdict.findings:
        parts.append(f"{finding.test} {MARKS[finding.stance]}".rstrip())
        parts.append(textwrap.fill(finding.text, width, initial_indent="  ", subsequent_indent="  "))
        parts.append("")
    parts.append(textwrap.fill(f"{facts.INTERVALS} {findings.THRESHOLDS}", width))
    return "\n".join(parts).replace("\u00a0", " ") + "\n"  # glue between a number and its interval


def printable(text: str) -> str:
    """Names come from files: a control character must not reach the terminal."""
    return "".join(letter if letter.isprintable() or letter == "\u00a0" else "?" for letter in text)
