"""A tiny BERT as its publishers would write it, and its forward pass in plain NumPy."""

import json
import math

import numpy as np
import safetensors.numpy

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "good", "bad", "film", "##s", "the", "a", ".")
TINY = {
    "vocab_size": len(WORDS),
    "hidden_size": 8,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 12,
    "max_position_embeddings": 16,
    "type_vocab_size": 2,
    "layer_norm_eps": 1e-12,
    "hidden_act": "gelu",
}


def tensors(seed=0):
    rng, e, inner = np.random.default_rng(seed), TINY["hidden_size"], TINY["intermediate_size"]
    shapes = {
        "embeddings.word_embeddings.weight": (len(WORDS), e),
        "embeddings.position_embeddings.weight": (TINY["max_position_embeddings"], e),
        "embeddings.token_type_embeddings.weight": (2, e),
        "embeddings.LayerNorm.weight": (e,),
        "embeddings.LayerNorm.bias": (e,),
        "pooler.dense.weight": (e, e),
        "pooler.dense.bias": (e,),
    }
    for i in range(TINY["num_hidden_layers"]):
        base = f"encoder.layer.{i}"
        for name in (
            *(f"attention.self.{part}" for part in ("query", "key", "value")),
            "attention.output.dense",
        ):
            shapes |= {f"{base}.{name}.weight": (e, e), f"{base}.{name}.bias": (e,)}
        shapes |= {
            f"{base}.intermediate.dense.weight": (inner, e),
            f"{base}.intermediate.dense.bias": (inner,),
        }
        shapes |= {f"{base}.output.dense.weight": (e, inner), f"{base}.output.dense.bias": (e,)}
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes |= {f"{base}.{name}.weight": (e,), f"{base}.{name}.bias": (e,)}
    return {name: rng.normal(0, 0.6, shape).astype(np.float32) for name, shape in shapes.items()}


def write(folder, prefix="", **changes):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(TINY | changes))
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n")
    safetensors.numpy.save_file(
        {prefix + name: array for name, array in tensors().items()}, folder / "model.safetensors"
    )
    return folder


def numpy_hidden(w, ids, kinds, heads, epsilon):
    """States that leave each layer of one unpadded text, from the published names alone."""
    erf = np.vectorize(math.erf)

    def norm(x, name):
        mean, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
        return (x - mean) / np.sqrt(var + epsilon) * w[f"{name}.weight"] + w[f"{name}.bias"]

    def dense(x, name):
        return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]

    x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][: len(ids)]
    x = norm(x + w["embeddings.token_type_embeddings.weight"][kinds], "embeddings.LayerNorm")
    found, layer = [x], 0
    while f"encoder.layer.{layer}.output.dense.weight" in w:
        base = f"encoder.layer.{layer}"
        q, k, v = (
            dense(x, f"{base}.attention.self.{part}").reshape(len(ids), heads, -1).swapaxes(0, 1)
            for part in ("query", "key", "value")
        )
        scores = np.exp(q @ k.swapaxes(1, 2) / math.sqrt(q.shape[-1]))
        mixed = (scores / scores.sum(-1, keepdims=True) @ v).swapaxes(0, 1).reshape(len(ids), -1)
        x = norm(x + dense(mixed, f"{base}.attention.output.dense"), f"{base}.attention.output.LayerNorm")
        inner = dense(x, f"{base}.intermediate.dense")
        inner = inner * 0.5 * (1 + erf(inner / math.sqrt(2)))
        x = norm(x + dense(inner, f"{base}.output.dense"), f"{base}.output.LayerNorm")
        found.append(x)
        layer += 1
    return found
