"""Mutual information of words and states in a trained model (Tutek & Snajder 2020, section 3.4)."""

import collections
import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import jax
import numpy as np
from jaxtyping import Bool, Float, Int

from attn_jax import rng as streams
from attn_jax.analyses.mutual_information import Clustering, information
from attn_jax.data.batching import Bucket, batches
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
    for s, seed in enumerate(cell.seeds):
        for sample in SAMPLES:
            if not any(row["seed"] == seed and row["sample"] == sample for row in done):
                own = jax.tree.map(lambda a, s=s: a[s], params)
                done.append({"seed": seed, "sample": sample, **_one(cell, own, seed, sample)})
                jsonl.write(path, done)
    return done


def _one(cell: Subject, params: Params, seed: int, sample: str) -> dict[str, Any]:
    host = np.random.default_rng([seed, SAMPLES.index(sample)])
    words = chosen_words(cell, sample, host)
    buckets = buckets_of(cell, cell.corpus.train)
    wanted = _thinned([_among(bucket, words) for bucket in buckets], cell.sampling.tokens, host)
    ids, states = gathered(cell.objective.model, params, buckets, wanted)
    table = np.asarray(params["embedding"]["table"]["embedding"])
    rng = streams.stream(streams.root(seed), f"information/{sample}")
    nats = information(rng, table[ids], states, cell.sampling.clustering)
    return {"nats": nats, "tokens": len(ids), "words": len(words)}


def chosen_words(cell: Subject, sample: str, host: np.random.Generator) -> Int[np.ndarray, "W"]:
    """Ids of the most frequent words, or of a sample without replacement from unigram^0.75."""
    counts = _counts(cell.corpus.train, cell.vocabulary)
    size = min(cell.sampling.words, int((counts > 0).sum()))
    if sample == "most_frequent":
        return np.argsort(-counts, kind="stable")[:size]
    weights = counts**cell.sampling.power
    return host.choice(len(counts), size, replace=False, p=weights / weights.sum())


def _counts(train: Sequence, vocabulary: Vocabulary) -> Float[np.ndarray, "V"]:
    """How often each word of the vocabulary is seen in training; the special ones count for nothing."""
    seen = collections.Counter(word for example in train for word in example.tokens)
    counts = np.array([seen[word] for word in vocabulary.words], float)
    counts[: len(SPECIAL)] = 0
    return counts


def _among(bucket: Bucket, words: np.ndarray) -> Bool[np.ndarray, "N T"]:
    return np.isin(bucket.rows.ids, words) & np.asarray(bucket.rows.attendable)


def _thinned(wanted: list[np.ndarray], most: int, host: np.random.Generator) -> list[np.ndarray]:
    """The same marks, a random `most` of them if there are more."""
    flat = np.concatenate([marks.ravel() for marks in wanted])
    places = np.flatnonzero(flat)
    if len(places) > most:
        flat[host.permutation(places)[most:]] = False
    ends = np.cumsum([marks.size for marks in wanted])[:-1]
    return [part.reshape(marks.shape) for part, marks in zip(np.split(flat, ends), wanted, strict=True)]


def gathered(
    model: AttentiveModel, params: Params, buckets: Sequence[Bucket], wanted: Sequence[np.ndarray]
) -> tuple[Int[np.ndarray, "N"], Float[np.ndarray, "N H"]]:
    """Ids and states of the marked tokens."""
    ids, states = zip(*_parts(model, params, buckets, wanted), strict=True)
    return np.concatenate(ids), np.concatenate(states)


def _parts(
    model: AttentiveModel, params: Params, buckets: Sequence[Bucket], wanted: Sequence[np.ndarray]
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    for bucket, marks in zip(buckets, wanted, strict=True):
        for start, batch in zip(range(0, len(bucket), BATCH), batches(bucket, BATCH), strict=True):
            here = marks[start : start + BATCH]
            states = np.asarray(_states(model, params, batch))[: len(here)]
            yield np.asarray(batch.ids)[: len(here)][here], states[here]


@jax.jit(static_argnums=0)
def _states(model: AttentiveModel, params: Params, batch: Example) -> jax.Array:
    return jax.vmap(lambda example: model.encode(params, model.embed(params, example)).states)(batch)
