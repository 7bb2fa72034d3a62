"""Attention with several queries as data: a file an instance, an array a site."""

import pathlib
from typing import Any

import polars as pl

from attn_jax.report.site import instances, scripted
from attn_jax.results import attention

_DIGITS = 4


def write(
    site: pathlib.Path, slug: str, frame: pl.DataFrame, index: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """`data/alignment-SLUG-N.js`; the index, in which an instance that it lacks gets a row of its own."""
    rows = {(row["seed"], row["id"]): row for row in index}
    parts = frame.group_by("seed", "id", maintain_order=True)
    for number, (key, part) in enumerate(parts):
        found = list(part.iter_rows(named=True))
        scripted.write(site, f"alignment-{slug}-{number}", [_site(row) for row in found])
        rows.setdefault((int(str(key[0])), str(key[1])), _row(found[0]))["alignment"] = number
    return list(rows.values())


def _site(row: dict[str, Any]) -> dict[str, Any]:
    alpha = attention.alpha(row)
    heads = alpha if alpha.ndim == 3 else alpha[None]
    return {
        "site": row["site"],
        "queries": row["query_tokens"],
        "keys": row["key_tokens"],
        "heads": [[round(float(w), _DIGITS) for w in head.ravel()] for head in heads],
    }


def _row(row: dict[str, Any]) -> dict[str, Any]:
    """An instance of which nothing but its attention is known."""
    return {
        "id": row["id"],
        "seed": row["seed"],
        "gold": None,
        "prediction": None,
        "probabilities": [],
        "tokens": row["key_tokens"],
        "mask": [1] * len(row["key_tokens"]),
        "question": row["query_tokens"],
        "planted": [],
        "chunk": -1,
        "place": -1,
    } | {name: len(row["key_tokens"]) if name == "length" else None for name in instances.SCALARS}
