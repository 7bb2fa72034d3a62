"""The instances of a run as data: an index to search, and files of weights loaded when one is opened."""

import pathlib
from typing import Any

import numpy as np
import polars as pl

from attn_jax.report.site import scripted

CHUNK = 40  # instances a file
TOKENS = 150_000  # words of a run's index: of long documents fewer are kept
DECODER = 20_000  # numbers, words times classes, above which one instance's decoder stays out of the page
SCALARS = ("length", "max_attention", "exact_jsd", "search_jsd", "null_jsd", "tau_gradient", "tau_loo")
LINES = {
    "alpha": "Attention",
    "score/search_alpha": "Adversary, searched",
    "score/exact_alpha": "Adversary, exact",
    "score/gradient_x_input": "Gradient times input",
    "score/gradient_l2": "Gradient, length",
    "score/gradient_sum": "Gradient, sum",
    "score/loo": "Deletion",
}


def kept(frame: pl.DataFrame, limit: int) -> pl.DataFrame:
    """At most `limit` rows, evenly spread over the instances, the same ones for every seed."""
    words = frame["tokens"].explode().len()
    room = min(limit, max(1, TOKENS * frame.height // max(1, words)))
    names = frame["id"].unique(maintain_order=True)
    count = min(len(names), max(1, room // frame["seed"].n_unique()))
    chosen = names.gather(np.linspace(0, len(names) - 1, count).round().astype(int))
    return frame.filter(pl.col("id").is_in(chosen.implode()))


def write(site: pathlib.Path, slug: str, frame: pl.DataFrame) -> list[dict[str, Any]]:
    """The files of weights, `data/instances-SLUG-N.js`; the rows of the index."""
    scores = [*_known(frame), *sorted(set(_scores(frame)) - set(LINES))]
    # Attentions are decoded in the page, to float32; all else is only shown.
    rounded = frame.with_columns(_rounded(column, 8 if column.endswith("alpha") else 4) for column in scores)
    for start in range(0, frame.height, CHUNK):
        rows = rounded.slice(start, CHUNK).iter_rows(named=True)
        scripted.write(site, f"instances-{slug}-{start // CHUNK}", [_weights(row, scores) for row in rows])
    return [_index(row, i) for i, row in enumerate(frame.iter_rows(named=True))]


def _known(frame: pl.DataFrame) -> list[str]:
    return [column for column in LINES if column in frame.columns]


def _scores(frame: pl.DataFrame) -> list[str]:
    return [column for column in frame.columns if column.startswith("score/")]


def _rounded(column: str, digits: int) -> pl.Expr:
    return pl.col(column).list.eval(pl.element().cast(pl.Float64).round_sig_figs(digits))


def _index(row: dict[str, Any], place: int) -> dict[str, Any]:
    """What is searched and filtered by."""
    return {
        "id": row["id"],
        "seed": row["seed"],
        "gold": row["gold"],
        "prediction": row["prediction"],
        "probabilities": [round(p, 6) for p in row["probabilities"]],
        "tokens": row["tokens"],
        "mask": [int(real) for real in row["mask"]],
        "question": row.get("question") or [],
        "planted": [int(real) for real in row.get("rationale") or []],
        "chunk": place // CHUNK,
        "place": place % CHUNK,
        "alignment": -1,
    } | {name: _number(row.get(name)) for name in SCALARS}


def _number(value: float | None) -> float | None:
    return None if value is None else round(value, 5)


def _weights(row: dict[str, Any], scores: list[str]) -> dict[str, Any]:
    """The heat maps of one instance, and its decoder where attention enters it affinely."""
    logits = row.get("token_logits")
    found = row.get("search_feasible") is not False  # a search that ended outside the tolerance found none
    lines = [column for column in scores if row.get(column) and (found or column != "score/search_alpha")]
    large = logits is not None and len(logits) * len(logits[0]) > DECODER
    return {
        "names": [LINES.get(column) or title(column) for column in lines],
        "kinds": lines,
        "values": [row[column] for column in lines],
        "decoder": None if large else logits,
        "large": large,
    }


def title(column: str) -> str:
    """A score's name in words: score/integrated_gradients is Integrated gradients."""
    words = column.removeprefix("score/").replace("_", " ").strip()
    return words[:1].upper() + words[1:]
