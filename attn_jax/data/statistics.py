"""What the papers' tables say about a corpus: sizes, lengths, vocabulary (J&W Table 1, T&S Table 5)."""

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np
from jaxtyping import Int

from attn_jax.data.examples import Corpus, TextExample
from attn_jax.data.specs.spec import DatasetSpec
from attn_jax.data.vocabulary import Vocabulary

# Class id -> instances; "" is all of them.
Sizes = dict[str, int]


@dataclasses.dataclass(frozen=True)
class Statistics:
    """Of one prepared corpus.

    `train_size` counts as J&W's Table 1 does: before the dev split, on IMDB also before the length
    filter; `train_size_used` is what is trained on. `vocab_size` is of the train split, the four
    special words included; `vocab_size_all_splits` is what J&W's SST figure turns out to count.
    """

    avg_length: float
    vocab_size: int
    vocab_size_all_splits: int
    train_size: Sizes
    train_size_used: Sizes
    dev_size: Sizes
    test_size: Sizes
    lengths: Int[np.ndarray, "n"]  # of the attended sequences, all splits

    def rows(self) -> Iterable[tuple[str, str, float]]:
        """(metric, label id or "", value) of each figure."""
        for metric in ("vocab_size", "vocab_size_all_splits", "avg_length"):
            yield metric, "", getattr(self, metric)
        for metric in ("train_size", "train_size_used", "dev_size", "test_size"):
            yield from ((metric, label, size) for label, size in getattr(self, metric).items())


def statistics(corpus: Corpus, spec: DatasetSpec, counts: Mapping[str, Mapping[str, int]]) -> Statistics:
    """Counts a corpus; `counts` has the published instances by part and class (empty if generated)."""
    shown = corpus.train or corpus.test
    lengths = [np.array([len(example.tokens) for example in split], int) for _, split in corpus.splits()]
    used, dev, test = (_sizes(split) for _, split in corpus.splits())
    # Where dev is a published part, train is whole as it is.
    whole = used if "dev" in counts else _sum(used, dev)
    return Statistics(
        float(np.mean([len(example.tokens) for example in shown])),
        len(_vocabulary(shown, spec)),
        len(_vocabulary([example for _, split in corpus.splits() for example in split], spec)),
        _published(counts["train"]) if spec.counted_before_filter else whole,
        used,
        dev,
        test,
        np.concatenate(lengths),
    )


def _vocabulary(examples: Iterable[TextExample], spec: DatasetSpec) -> Vocabulary:
    sequences = (sequence for example in examples for sequence in (example.tokens, example.question or ()))
    return Vocabulary.build(sequences, spec.min_count)


def _sizes(split: tuple[TextExample, ...]) -> Sizes:
    return _published(Counter(str(example.label) for example in split))


def _published(counts: Mapping[str, int]) -> Sizes:
    ordered = {label: counts[label] for label in sorted(counts, key=int)}
    return {"": sum(ordered.values()), **ordered}


def _sum(first: Sizes, second: Sizes) -> Sizes:
    total = Counter(first) + Counter(second)
    return _published({label: total[label] for label in total if label})
