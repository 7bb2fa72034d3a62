"""One measurement of `scaling`: an analysis, a length, a number of instances; seconds and peak memory.

python -m benchmarks.scaling_point loo 4096 32
"""

import json
import resource
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np

from attn_jax.models.attentions import Additive
from attn_jax.models.classifier import SequenceClassifier
from attn_jax.models.encoders import BiLSTM
from attn_jax.models.layers import TokenEmbedding
from attn_jax.training.step import initialise
from attn_jax.types import Example
from benchmarks import routines

WORDS, EMBEDDING = 5000, 300
# Texts at once: fewer in long texts, so that a batch holds about as many tokens.
TOKENS_AT_ONCE, BATCH = 8192, 32
NAMES = {
    "encode": "evaluate",
    "permutation": "permutation_100",
    "search": "adversarial_500",
    "loo": "leave_one_out",
}


def texts(number: int, length: int, seed: int) -> Example:
    """Random texts without padding."""
    rng = np.random.default_rng(seed)
    inside = np.ones((number, length), bool)
    inside[:, [0, -1]] = False
    return Example(
        ids=rng.integers(4, WORDS, (number, length), dtype=np.int32),
        valid=np.ones((number, length), bool),
        attendable=inside,
        label=np.zeros(number, np.int32),
        weight=np.ones(number, np.float32),
        index=np.arange(number, dtype=np.int32),
    )


def main(name: str, length: int, instances: int) -> None:
    """Prints one JSON line; compilation and a first batch are not timed."""
    at_once = max(1, min(BATCH, TOKENS_AT_ONCE // length))
    model = SequenceClassifier(TokenEmbedding(WORDS, EMBEDDING), BiLSTM(), Additive(), 2)
    row = jax.tree.map(lambda a: a[0], texts(1, length, 0))
    subject = routines.Subject(model, initialise(model, routines.OPTIMISER, row, [0], None))
    run = _one(subject, name)
    jax.block_until_ready(run(texts(at_once, length, 0)))
    start = time.perf_counter()
    for number in range(-(-instances // at_once)):
        jax.device_get(run(texts(at_once, length, number)))
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    found = {"analysis": name, "length": length, "instances": instances, "seconds": round(seconds, 4)}
    print(json.dumps(found | {"peak_mib": round(peak, 1)}))


def _one(subject: routines.Subject, name: str):
    """The analysis of one batch; what is not kept needs no memory."""
    if name in ("exact", "kendall"):
        return lambda batch: _on_states(name, *_scores(batch))
    routine = routines.ANALYSES[NAMES.get(name, name)]
    if name == "encode":
        return lambda batch: [seen.alpha for seen in routine(subject, [batch])]
    return lambda batch: routine(subject, [batch])


def _scores(batch: Example) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Random attention and token logits: these two need no model."""
    rng = np.random.default_rng(int(batch.ids[0, 0]))
    mask = jnp.asarray(batch.attendable)
    alpha = rng.dirichlet(np.ones(mask.shape[1] - 2), mask.shape[0]).astype(np.float32)
    return (
        jnp.pad(jnp.asarray(alpha), ((0, 0), (1, 1))),
        jnp.asarray(rng.normal(size=mask.shape), "float32"),
        mask,
    )


def _on_states(name: str, alpha: jax.Array, scores: jax.Array, mask: jax.Array) -> jax.Array:
    if name == "kendall":
        return routines.kendall(alpha, scores, mask)
    return routines.exact(alpha, scores[..., None], mask)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
