"""Published BERT weights from a folder: config.json and model.safetensors, in the usual naming."""

import json
import pathlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import safetensors
import safetensors.numpy

from attn_jax.errors import UserError
from attn_jax.models.bert import BertSizes

WEIGHTS, CONFIG = "model.safetensors", "config.json"
# In the order of `BertSizes`.
_SIZES = (
    *("vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size"),
    *("max_position_embeddings", "type_vocab_size"),
)
_PREFIX = "bert."  # of checkpoints that carry a head of their own
_NORM = {"scale": ("weight", "gamma"), "bias": ("bias", "beta")}  # the second name is that of old checkpoints


def sizes(folder: pathlib.Path) -> BertSizes:
    """What the folder's config.json states.

    Raises:
        UserError: it is missing, malformed, or of an architecture that is not BERT's.
    """
    path = folder / CONFIG
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        known = BertSizes(
            *(int(found[name]) for name in _SIZES), epsilon=float(found.get("layer_norm_eps", 1e-12))
        )
    except (OSError, ValueError) as error:
        raise UserError(f"cannot read {path}: {error}; name a folder of BERT weights.") from error
    except (KeyError, TypeError) as error:
        raise UserError(f"{path}: {error} must be stated; it is no configuration of a BERT.") from error
    if found.get("hidden_act", "gelu") != "gelu":
        raise UserError(f"{path}: hidden_act is {found['hidden_act']!r}; only gelu is known here.")
    return known


def load(folder: pathlib.Path, known: BertSizes) -> dict[str, Any]:
    """The part of `Bert`'s parameters that the folder holds: all but the head, the pooler if it is there.

    Raises:
        UserError: the file is missing or damaged, or lacks a tensor of the size that config.json states.
    """
    path = folder / WEIGHTS
    try:
        found = safetensors.numpy.load_file(path)
    except (OSError, ValueError, TypeError, KeyError, safetensors.SafetensorError) as error:
        raise UserError(f"cannot read {path}: {error}; get the file anew.") from error
    tensors = _Tensors(path, {name.removeprefix(_PREFIX): array for name, array in found.items()})
    width = known.width
    tree: dict[str, Any] = {
        "tables_word": tensors.table("embeddings.word_embeddings", (known.words, width)),
        "tables_place": tensors.table("embeddings.position_embeddings", (known.places, width)),
        "tables_kind": tensors.table("embeddings.token_type_embeddings", (known.kinds, width)),
        "norm": tensors.norm("embeddings.LayerNorm", width),
    }
    for i in range(known.layers):
        tree |= _layer(tensors, known, i)
    if tensors.has("pooler.dense"):
        tree["pool"] = tensors.dense("pooler.dense", width, width)
    return tree


class _Tensors:
    """The file's arrays by name; a missing one or one of another size is one sentence."""

    def __init__(self, path: pathlib.Path, arrays: Mapping[str, np.ndarray]):
        self._path, self._arrays = path, arrays

    def has(self, name: str) -> bool:
        return f"{name}.weight" in self._arrays

    def table(self, name: str, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        return {"embedding": self._get((f"{name}.weight",), shape)}

    def dense(self, name: str, inputs: int, outputs: int) -> dict[str, np.ndarray]:
        """PyTorch keeps the matrix of a linear layer as [outputs, inputs]."""
        kernel = self._get((f"{name}.weight",), (outputs, inputs)).T
        return {"kernel": kernel, "bias": self._get((f"{name}.bias",), (outputs,))}

    def norm(self, name: str, width: int) -> dict[str, np.ndarray]:
        return {
            ours: self._get(tuple(f"{name}.{theirs}" for theirs in names), (width,))
            for ours, names in _NORM.items()
        }

    def _get(self, names: tuple[str, ...], shape: tuple[int, ...]) -> np.ndarray:
        for name in names:
            array = self._arrays.get(name)
            if array is None:
                continue
            if array.shape != shape:
                raise UserError(f"{self._path}: {name} is {array.shape}, config.json says {shape}.")
            return array.astype(np.float32)
        raise UserError(f"{self._path}: it has no tensor {names[0]}; these are no weights of a BERT.")


def _layer(tensors: _Tensors, known: BertSizes, i: int) -> dict[str, Any]:
    base, width = f"encoder.layer.{i}", known.width
    maps = {
        part: tensors.dense(f"{base}.attention.self.{part}", width, width)
        for part in ("query", "key", "value")
    }
    maps["output"] = tensors.dense(f"{base}.attention.output.dense", width, width)
    return {
        f"maps_{i}": maps,
        f"norms_{i}": tensors.norm(f"{base}.attention.output.LayerNorm", width),
        f"inner_{i}": tensors.dense(f"{base}.intermediate.dense", width, known.inner),
        f"outer_{i}": tensors.dense(f"{base}.output.dense", known.inner, width),
        f"outer_norms_{i}": tensors.norm(f"{base}.output.LayerNorm", width),
    }
