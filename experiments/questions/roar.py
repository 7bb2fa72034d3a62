"""Hooker et al. (2019), ROAR: is a model trained without the tokens that a method puts first any worse?"""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np
import polars as pl
from jax import Array

from attn_jax import outputs
from attn_jax import rng as streams
from attn_jax.analyses.observe import observe
from attn_jax.analyses.saliency import METHODS, saliency
from attn_jax.data.examples import Corpus, TextExample
from attn_jax.data.vocabulary import SPECIAL, UNK
from attn_jax.models.seam import AttentiveModel
from attn_jax.results import measure
from attn_jax.results.records import Record
from attn_jax.types import Example, Params
from experiments import examine
from experiments.cell import Cell
from experiments.questions.case import Case, Statistics

REMOVED = ("attention", "gradient_x_input", "lrp", "random")
FRACTION = 0.3  # of the tokens, replaced by the unknown word in every split
LARGEST = 10_000  # train instances: each method trains a model of its own


def answered(case: Case) -> list[Record]:
    """One seed: accuracy after retraining, by the method that chose what was removed."""
    if len(case.cell.corpus.train) > LARGEST:
        return []
    one = dataclasses.replace(case.cell, seeds=case.cell.seeds[:1])
    params = jax.tree.map(lambda a: a[:1], case.params)
    frames = {"whole": _judged(one, params, case.texts)}
    ranked = {name: _ranked(one, params, split) for name, split in one.corpus.splits()}
    for name in REMOVED:
        corpus = without(one.corpus, ranked, name)
        cell = dataclasses.replace(case.other(corpus=corpus), seeds=one.seeds)
        fitted = case.trained(cell, f"roar-{name}")
        chosen = {text.id for text in case.texts}
        frames[name] = _judged(cell, fitted, [text for text in corpus.test if text.id in chosen])
    return case.records(_statistics(frames), caveat=f"1 seed; {FRACTION:.0%} of the tokens removed")


def ranks(model: AttentiveModel, params: Params, batch: Example, rng: Array) -> Mapping[str, Array]:
    """The scores that decide what is removed."""
    evidence = observe(model, params, batch, streams.stream(rng, "attention"))
    methods = {name: METHODS[name] for name in REMOVED if name != "random"}
    found = saliency(model, params, batch, evidence, rng, methods)
    own = streams.stream(rng, "roar")
    draw = jax.vmap(lambda i: jax.random.uniform(streams.instance(own, i), evidence.alpha.shape[1:]))
    return {f"score/{name}": score for name, score in found.items()} | {"score/random": draw(batch.index)}


def without(corpus: Corpus, ranked: Mapping[str, pl.DataFrame], name: str) -> Corpus:
    """The corpus with each text's highest tokens made unknown."""
    splits = {}
    for part, texts in corpus.splits():
        scores = dict(ranked[part].select("id", f"score/{name}").iter_rows())
        splits[part] = tuple(_hidden(text, scores[text.id][1:-1]) for text in texts)
    return dataclasses.replace(corpus, **splits)


def _hidden(text: TextExample, scores: Sequence[float]) -> TextExample:
    # By magnitude: without only what speaks for the decision, what speaks against it would tell the class.
    order = np.argsort(-np.abs(scores), kind="stable")
    gone = set(order[: math.ceil(FRACTION * len(text.tokens))].tolist())
    tokens = tuple(SPECIAL[UNK] if i in gone else token for i, token in enumerate(text.tokens))
    return dataclasses.replace(text, tokens=tokens)


def _ranked(cell: Cell, params: Params, texts: Sequence[TextExample]) -> pl.DataFrame:
    return examine.rows_of(cell, params, texts, ranks, run=cell.name)


def _judged(cell: Cell, params: Params, texts: Sequence[TextExample]) -> pl.DataFrame:
    return examine.rows_of(cell, params, texts, predictions, run=cell.name)


def predictions(model: AttentiveModel, params: Params, batch: Example, rng: Array) -> Mapping[str, Any]:
    """What the model says."""
    evidence = observe(model, params, batch, streams.stream(rng, "attention"))
    return {"prediction": outputs.predicted(evidence.logits)}


def _statistics(frames: Mapping[str, pl.DataFrame]) -> Statistics:
    """Accuracies, and paired with the random removal: how much more a method's tokens were worth."""
    right = (pl.col("gold") == pl.col("prediction")).cast(pl.Float64)
    flat = {name: frame.select("seed", "id", right=right) for name, frame in frames.items()}
    for name, frame in flat.items():
        yield f"roar_{name}_accuracy", measure.mean(frame, pl.col("right"))
        if name not in ("whole", "random"):
            both = frame.join(flat["random"].select("id", random="right"), on="id")
            yield f"roar_random_minus_{name}_accuracy", measure.mean(both, pl.col("random") - pl.col("right"))
