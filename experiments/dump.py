"""What another program dumped of its model: read, checked array by array, laid out as a batch."""

import dataclasses
import pathlib
from typing import Any

import numpy as np

from attn_jax.data.examples import TextExample
from attn_jax.errors import UserError
from attn_jax.types import Example
from experiments import plain_arrays
from experiments.plain_arrays import Arrays

TOLERANCE = 1e-3  # of a sum of weights, and of logits that were dumped beside the token logits


@dataclasses.dataclass(frozen=True)
class Dump:
    """N instances of at most T tokens; rows where nothing is attendable are gone, and counted."""

    alpha: np.ndarray  # [N, T]
    token_logits: np.ndarray  # [N, T, C]
    mask: np.ndarray  # [N, T]
    tokens: tuple[tuple[str, ...], ...]
    gold: np.ndarray | None
    rationale: np.ndarray | None
    empty: int

    def texts(self) -> list[TextExample]:
        """One an instance; the label is -1 where none was dumped."""
        labels = [-1] * len(self.alpha) if self.gold is None else self.gold.tolist()
        return [
            TextExample(str(i), tokens, label, rationale=self._marked(i, len(tokens)))
            for i, (tokens, label) in enumerate(zip(self.tokens, labels, strict=True))
        ]

    def rows(self) -> Example:
        """All instances as a batch, an unattended place before and after each text as everywhere else."""
        sizes = np.array([len(tokens) for tokens in self.tokens])[:, None]
        place = np.arange(self.alpha.shape[1] + 2)[None]
        wide = ((0, 0), (1, 1))
        return Example(
            ids=np.zeros((len(sizes), place.shape[1]), np.int32),
            valid=place < sizes + 2,
            attendable=np.pad(self.mask, wide),
            label=np.zeros(len(sizes), np.int32),
            weight=np.ones(len(sizes), np.float32),
            index=np.arange(len(sizes), dtype=np.int32),
            given=np.pad(self.alpha, wide),
            rationale=None if self.rationale is None else np.pad(self.rationale, wide),
        )

    def params(self) -> np.ndarray:
        """Token logits in the layout of `rows`."""
        return np.pad(self.token_logits, ((0, 0), (1, 1), (0, 0)))

    def _marked(self, i: int, size: int) -> tuple[bool, ...] | None:
        return None if self.rationale is None else tuple(self.rationale[i, :size].tolist())


def read(path: pathlib.Path) -> Dump:
    """The dump in `path`, or a sentence on what is wrong with it. Nothing is ever unpickled."""
    arrays = plain_arrays.read(path)
    alpha = plain_arrays.numbers(arrays, "alpha", path, 2)
    shape = alpha.shape
    mask = plain_arrays.flags(arrays, "mask", path, shape)
    logits = _token_logits(arrays, path, shape)
    _check_attention(alpha, mask, path)
    _check_affine(arrays, alpha, logits, path)
    rationale = plain_arrays.flags(arrays, "rationale", path, shape) if "rationale" in arrays else None
    gold, tokens = _gold(arrays, logits, path), _tokens(arrays, mask, path)
    full = mask.any(1)
    if not full.any():
        raise UserError(f"{path}: `mask` is False everywhere; it must be True where attention may look.")
    keep = np.flatnonzero(full)
    return Dump(
        alpha[keep],
        logits[keep],
        mask[keep],
        tuple(tokens[i] for i in keep),
        None if gold is None else gold[keep],
        None if rationale is None else rationale[keep],
        int((~full).sum()),
    )


def _token_logits(arrays: Arrays, path: pathlib.Path, shape: tuple[int, ...]) -> np.ndarray:
    """As dumped, or states @ W + b."""
    if "token_logits" in arrays or "states" not in arrays:
        found, made_of = plain_arrays.numbers(arrays, "token_logits", path, 3), "token_logits"
    else:
        states, kernel = (
            plain_arrays.numbers(arrays, "states", path, 3),
            plain_arrays.numbers(arrays, "W", path, 2),
        )
        bias = plain_arrays.numbers(arrays, "b", path, 1)
        if states.shape[2] != kernel.shape[0] or kernel.shape[1] != bias.shape[0]:
            raise UserError(
                f"{path}: `states` {states.shape}, `W` {kernel.shape} and `b` {bias.shape} do not fit: they "
                "must be [N, T, H], [H, C] and [C] (PyTorch's Linear.weight is transposed)."
            )
        found, made_of = states @ kernel + bias, "states"
    if found.shape[:2] != shape:
        raise UserError(f"{path}: `{made_of}` begins with {found.shape[:2]}, but `alpha` is {shape}.")
    return found


def _check_attention(alpha: np.ndarray, mask: np.ndarray, path: pathlib.Path) -> None:
    if (alpha < 0).any():
        raise UserError(f"{path}: `alpha` is negative in row {_first((alpha < 0).any(1))}.")
    outside = (np.where(mask, 0, alpha) > TOLERANCE).any(1)
    if outside.any():
        raise UserError(f"{path}: `alpha` has weight where `mask` is False, in row {_first(outside)}.")
    wrong = mask.any(1) & (np.abs(np.where(mask, alpha, 0).sum(1) - 1) > TOLERANCE)
    if wrong.any():
        raise UserError(f"{path}: `alpha` does not sum to 1 over `mask` in row {_first(wrong)}.")


def _check_affine(arrays: Arrays, alpha: np.ndarray, logits: np.ndarray, path: pathlib.Path) -> None:
    """Where the model's own logits were dumped too, they show whether the certificates hold."""
    if "logits" not in arrays:
        return
    said, made = plain_arrays.numbers(arrays, "logits", path, 2), np.einsum("nt,ntc->nc", alpha, logits)
    if said.shape != made.shape:
        raise UserError(f"{path}: `logits` has shape {said.shape}, where the tokens' make {made.shape}.")
    apart = np.abs(said - made).max()
    if apart > TOLERANCE * max(1.0, np.abs(said).max()):
        raise UserError(
            f"{path}: `logits` differ from alpha @ token_logits by {apart:.3g}: the decoder is not affine in "
            "the attention, so nothing here would hold for it; run the model itself on the seam."
        )


def _gold(arrays: Arrays, logits: np.ndarray, path: pathlib.Path) -> np.ndarray | None:
    if "labels" not in arrays:
        return None
    found, classes = plain_arrays.numbers(arrays, "labels", path, 1), max(logits.shape[2], 2)
    if len(found) != len(logits) or not np.isin(found, range(classes)).all():
        raise UserError(f"{path}: `labels` must be {len(logits)} whole numbers from 0 to {classes - 1}.")
    return found.astype(int)


def _tokens(arrays: Arrays, mask: np.ndarray, path: pathlib.Path) -> list[tuple[str, ...]]:
    """Words or ids [N, T]; places are numbered where none were dumped. Cut behind the last attendable one."""
    width = mask.shape[1]
    found = arrays.get("tokens", np.broadcast_to(np.arange(width), mask.shape))
    if found.shape != mask.shape or found.dtype.kind not in "UiuS":
        raise UserError(
            f"{path}: `tokens` must be words or whole numbers of shape {mask.shape}, not {found.dtype} of "
            f"shape {found.shape}."
        )
    if found.dtype.kind == "S":
        found = np.char.decode(found, "utf-8", "replace")
    sizes = np.where(mask.any(1), width - mask[:, ::-1].argmax(1), 0)
    return [tuple(str(token) for token in row[:size]) for row, size in zip(found, sizes, strict=True)]


def _first(flags: Any) -> int:
    return int(np.flatnonzero(flags)[0])
