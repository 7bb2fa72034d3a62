"""Data for pages that open from disk: a browser fetches no file there, but it loads scripts.

Each file calls `attn.register(name, value)`; the policy of the pages allows scripts of the site alone.
"""

import json
import pathlib
from typing import Any

from attn_jax.results import atomic


def write(site: pathlib.Path, name: str, value: Any) -> None:
    """`data/NAME.js`, which registers `value` under `name`.

    Keys of objects are ours alone, never text from data: as a literal, `__proto__` would mean something.
    """
    atomic.write_text(site / "data" / f"{name}.js", f"attn.register({literal(name)}, {literal(value)});\n")


def literal(value: Any) -> str:
    """JSON that is also JavaScript and opens no tag, whatever text is in it; ASCII alone."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")
