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
    valid = np.asarray(batch.valid)[i]
    # Sentences as rows, one after the other, are the text without SOS and EOS.
    before, after = ([], []) if valid.ndim == 2 else ([SPECIAL[SOS]], [SPECIAL[EOS]])
    row = {
        "id": text.id,
        "tokens": [*before, *text.tokens, *after],
        "mask": np.asarray(batch.attendable)[i][valid].tolist(),
        "question": list(text.question) if text.question else None,
        "rationale": [*(False for _ in before), *text.rationale, *(False for _ in after)]
        if text.rationale
        else None,
        "gold": text.label,
    }
    return row | {name: _cell(name, values[i], valid) for name, values in columns.items()}


def _cell(name: str, value: np.ndarray, valid: np.ndarray) -> Any:
    """Token-wise columns are cut to the text; an undefined number becomes None."""
    if name.startswith("score/") or name in ("alpha", "token_logits"):
        return value[valid].tolist()
    if value.ndim == 0 and np.isnan(value):
        return None
    return value.tolist()
