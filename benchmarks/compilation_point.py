"""One measurement of `compilation`: processor seconds of the first and the second call of each program.

python -m benchmarks.compilation_point DATA
"""

import json
import pathlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import jax

from attn_jax.analyses import trial
from attn_jax.analyses.observe import observe
from attn_jax.data.batching import batches, bucketise
from attn_jax.models.attentions import Additive
from attn_jax.models.classifier import SequenceClassifier
from attn_jax.models.encoders import BiLSTM
from attn_jax.models.layers import TokenEmbedding
from attn_jax.training.step import initialise
from benchmarks import corpora, routines
from benchmarks.battery import EMBEDDING, HIDDEN

TEXTS = 600


def measured(data_dir: pathlib.Path) -> Iterator[tuple[str, dict[str, float]]]:
    """(program, seconds) of the most frequent shape of SST."""
    first, _, vocabulary = corpora.load("sst", data_dir, TEXTS, 1)
    bucket = max(bucketise(first, vocabulary, 2), key=len)
    model = SequenceClassifier(TokenEmbedding(len(vocabulary), EMBEDDING), BiLSTM(HIDDEN), Additive(), 2)
    row = jax.tree.map(lambda a: a[0], bucket.rows)
    subject = routines.Subject(model, initialise(model, routines.OPTIMISER, row, [0], None))
    yield "train", _twice(lambda: routines.train(subject, [bucket]))
    batch, params, rng, settings = next(batches(bucket, 32)), subject.params, routines.RNG, trial.Trial()
    yield "observe", _twice(lambda: observe(model, params, batch, rng))
    seen = observe(model, params, batch, rng)
    yield "importance", _twice(lambda: trial.importance(model, params, batch, seen, rng))
    yield "counterfactuals", _twice(lambda: trial.counterfactuals(model, params, batch, seen, rng, settings))
    yield "certificates", _twice(lambda: trial.certificates(batch, seen, rng, settings))


def _twice(run: Callable[[], Any]) -> dict[str, float]:
    seconds = {}
    for call in ("first", "again"):
        start = time.process_time()
        jax.block_until_ready(run())
        seconds[call] = time.process_time() - start
    return seconds


if __name__ == "__main__":
    jax.config.update("jax_enable_compilation_cache", False)
    print(json.dumps(dict(measured(pathlib.Path(sys.argv[1])))))
