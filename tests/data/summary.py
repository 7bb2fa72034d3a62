"""Loads one corpus and prints what the tests want to know of it, as JSON.

A process of its own, because the type checks that tests switch on would take minutes on half a million
instances: `python -m tests.data.summary NAME FOLDER PREPARATION [CACHE]`.
"""

import json
import pathlib
import resource
import sys

from attn_jax.data import specs
from attn_jax.data.load import load, load_counted, spec_of
from attn_jax.data.statistics import statistics


def main(name, folder, preparation, cache=None):
    folder, cache = pathlib.Path(folder), pathlib.Path(cache) if cache else None
    spec = spec_of(name, preparation)
    if name == specs.TRANSFER:
        corpus, counts = load(name, folder, cache_dir=cache), {"dev": {}}
    else:
        corpus, counts = load_counted(name, spec, folder, cache)
    found = statistics(corpus, spec, counts)
    held_out = {(example.tokens, example.question) for example in corpus.test}
    rationales = [example.rationale for example in corpus.train if example.rationale is not None]
    shares = [sum(marks) / len(marks) for marks in rationales]
    return {
        "counts": counts,
        "sizes": [len(split) for _, split in corpus.splits()],
        "labels": corpus.labels,
        "highest_label": max(example.label for _, split in corpus.splits() for example in split),
        "avg_length": found.avg_length,
        "vocab_size_all_splits": found.vocab_size_all_splits,
        "leaks": sum((example.tokens, example.question) in held_out for example in corpus.train),
        "rationale_share": sum(shares) / len(shares) if shares else None,
        "without_rationale": sum(not any(marks) for marks in rationales),
        "memory_kib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
    }


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
