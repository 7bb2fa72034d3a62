"""What the stance of a test is called on a page; the words carry it, the colour only helps."""

from attn_jax.results.findings import Stance

MARKS: dict[Stance, str] = {"for": "✓", "against": "✗", "mixed": "~", "silent": "?", "context": ""}
WORDS: dict[Stance, str] = {
    "for": "speaks for attention",
    "against": "speaks against attention",
    "mixed": "in part",
    "silent": "cannot tell",
    "context": "",
}
