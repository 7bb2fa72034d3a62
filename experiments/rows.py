"""From the arrays of a trial to rows of `examples.parquet`: padding cut off, text put beside."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from attn_jax.data.examples import TextExample
from attn_jax.data.vocabulary import EOS, SOS, SPECIAL
from attn_jax.types import Example


def frame(
    columns: Mapping[str, np.ndarray],
    batch: Example,
    texts: Sequence[TextExample],
    **identity: Any,
) -> pl.DataFrame:
    """One row per real instance of a batch; `identity` (run, seed, split) is the same in all."""
    real = np.flatnonzero(np.asarray(batch.weight) > 0)
    rows = [_row(columns, batch, texts[int(batch.index[i])], int(i)) | identity for i in real]
    return pl.DataFrame(rows, infer_schema_length=None, nan_to_null=True)


def _row(columns: Mapping[str, np.ndarray], batch: Example, text: TextExample, i: int) -> dict[str, Any]:
    size = int(np.asarray(batch.valid)[i].sum())
    row = {
        "id": text.id,
        "tokens": [SPECIAL[SOS], *text.tokens, SPECIAL[EOS]],
        "mask": batch.attendable[i, :size].tolist(),
        "question": list(text.question) if text.question else None,
        "rationale": [False, *text.rationale, False] if text.rationale else None,
        "gold": text.label,
    }
    return row | {name: _cell(name, values[i], size) for name, values in columns.items()}


def _cell(name: str, value: np.ndarray, size: int) -> Any:
    """Token-wise columns are cut to the text; an undefined number becomes None."""
    if name.startswith("score/") or name in ("alpha", "token_logits"):
        return value[:size].tolist()
    if value.ndim == 0 and np.isnan(value):
        return None
    return value.tolist()
