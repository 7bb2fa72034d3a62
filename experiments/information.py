"""Mutual information of words and states in a trained model (Tutek & Snajder 2020, section 3.4)."""

import collections
import dataclasses
import itertools
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import jax
import numpy as np
from jaxtyping import Bool, Float, Int
from tqdm import tqdm

from attn_jax import rng as streams
from attn_jax.analyses.mutual_information import Clustering, information
from attn_jax.data.batching import Bucket, fill
from attn_jax.data.examples import TextExample
from attn_jax.data.vocabulary import SPECIAL, Vocabulary
from attn_jax.models.seam import AttentiveModel
from attn_jax.results import jsonl
from attn_jax.results.run_dir import RunDir
from attn_jax.results.tutek_snajder import SAMPLES
from attn_jax.types import Example, Params
from experiments.trained import Trainable, buckets_of

BATCH = 32
PAPER = Clustering()


@dataclasses.dataclass(frozen=True)
class Sampling:
    """How many words, and at most how many of their tokens; `power` flattens the random sample."""

    words: int = 1000
    tokens: int = 1_000_000
    power: float = 0.75
    clustering: Clustering = PAPER


FULL = Sampling()
QUICK = Sampling(words=100, tokens=2000, clustering=Clustering(clusters=50, batch=100, steps=50))


class Subject(Trainable, Protocol):
    """A cell that says how its information is measured."""

    @property
    def sampling(self) -> Sampling:
        """How many words and tokens."""
        ...


def measured(cell: Subject, run: RunDir, params: Params) -> list[dict[str, Any]]:
    """A row per seed and sample of words, over the train split; kept in the folder one by one."""
    path = run.path / "information.jsonl"
    done = jsonl.read(path) if path.exists() else []
    known = {(row["seed"], row["sample"]) for row in done}
    places = itertools.product(enumerate(cell.seeds), SAMPLES)
    todo = [(s, seed, sample) for (s, seed), sample in places if (seed, sample) not in known]
    buckets = buckets_of(cell, cell.corpus.train) if todo else []
    counts = word_counts(cell.corpus.train, cell.vocabulary)
    for s, seed, sample in tqdm(todo, desc="information"):
        host = np.random.default_rng([seed, SAMPLES.index(sample)])
        words = chosen_words(counts, cell.sampling, sample, host)
        own = jax.tree.map(lambda a, s=s: a[s], params)
        marks = thinned([_among(bucket, words) for bucket in buckets], cell.sampling.tokens, host)
        ids, states = gathered(cell.objective.model, own, buckets, marks)
        rng = streams.stream(streams.root(seed), f"information/{sample}")
        table = np.asarray(own["embedding"]["table"]["embedding"])
        nats = information(rng, table[ids], states, cell.sampling.clustering)
        done.append({"seed": seed, "sample": sample, "nats": nats, "tokens": len(ids), "words": len(words)})
        jsonl.write(path, done)
    return done


def chosen_words(
    counts: Float[np.ndarray, "V"], sampling: Sampling, sample: str, host: np.random.Generator
) -> Int[np.ndarray, "W"]:
    """Ids of the most frequent words, or of a sample without replacement from unigram^0.75."""
    size = min(sampling.words, int((counts > 0).sum()))
    if sample == "most_frequent":
        return np.argsort(-counts, kind="stable")[:size]
    weights = counts**sampling.power
    return host.choice(len(counts), size, replace=False, p=weights / weights.sum())


def word_counts(train: Sequence[TextExample], vocabulary: Vocabulary) -> Float[np.ndarray, "V"]:
    """How often each word of the vocabulary is seen in training; the special ones count for nothing."""
    seen = collections.Counter(word for example in train for word in example.tokens)
    counts = np.array([seen[word] for word in vocabulary.words], float)
    counts[: len(SPECIAL)] = 0
    return counts


def _among(bucket: Bucket, words: np.ndarray) -> Bool[np.ndarray, "N T"]:
    return np.isin(bucket.rows.ids, words) & np.asarray(bucket.rows.attendable)


def thinned(marks: Sequence[np.ndarray], most: int, host: np.random.Generator) -> list[np.ndarray]:
    """The marks of random instances, as many as have at most `most` tokens together.

    Whole instances, so that those left out need not be encoded.
    """
    sizes = np.concatenate([part.sum(1) for part in marks])
    order = host.permutation(len(sizes))
    kept = np.zeros(len(sizes), bool)
    kept[order[np.cumsum(sizes[order]) <= most]] = True
    ends = np.cumsum([len(part) for part in marks])[:-1]
    return [part & keep[:, None] for part, keep in zip(marks, np.split(kept, ends), strict=True)]


def gathered(
    model: AttentiveModel, params: Params, buckets: Sequence[Bucket], marks: Sequence[np.ndarray]
) -> tuple[Int[np.ndarray, "N"], Float[np.ndarray, "N H"]]:
    """Ids and states of the marked tokens."""
    ids, states = zip(*_parts(model, params, buckets, marks), strict=True)
    return np.concatenate(ids), np.concatenate(states)


def _parts(
    model: AttentiveModel, params: Params, buckets: Sequence[Bucket], marks: Sequence[np.ndarray]
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    for bucket, wanted in zip(buckets, marks, strict=True):
        rows = np.flatnonzero(wanted.any(1))
        for start in range(0, len(rows), BATCH):
            here = rows[start : start + BATCH]
            batch = bucket.take(fill(here, BATCH))
            states = np.asarray(_states(model, params, batch))[: len(here)]
            yield np.asarray(batch.ids)[: len(here)][wanted[here]], states[wanted[here]]


@jax.jit(static_argnums=0)
def _states(model: AttentiveModel, params: Params, batch: Example) -> jax.Array:
    return jax.vmap(lambda example: model.encode(params, model.embed(params, example)).states)(batch)
