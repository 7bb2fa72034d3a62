"""Wiegreffe & Pinter's third test (2019): does the attention help a model that sees no context?"""

import dataclasses
from collections.abc import Sequence

import jax
import numpy as np
import polars as pl

from attn_jax.data.batching import batches
from attn_jax.data.examples import TextExample
from attn_jax.models.seam import AttentiveModel
from attn_jax.results import wiegreffe_pinter
from attn_jax.results.records import Record
from attn_jax.training.imitation import attention_and_logits
from attn_jax.types import Example, Params
from experiments.cell import Cell
from experiments.examine import BATCH
from experiments.questions import adversary
from experiments.questions.case import Case
from experiments.questions.decision import decision
from experiments.trained import buckets_of

MLP = "token_mlp"


def answered(case: Case) -> list[Record]:
    """An MLP over single tokens under uniform, its own, the base's and the adversary's frozen weights."""
    cells = {
        "uniform": case.other(MLP, "uniform"),
        "trained": case.other(MLP, case.cell.key.attention),
        "base": _under(case, case.params),
        "adversary": _under(case, adversary.trained(case)[0]),
    }
    frames = {guide: _decided(case, guide, cell) for guide, cell in cells.items()}
    return [
        record
        for guide, metric, summary in wiegreffe_pinter.guides(frames)
        for record in case.records([(metric, summary)], f"guided_{guide}")
    ]


def _decided(case: Case, guide: str, cell: Cell) -> pl.DataFrame:
    return case.examined(decision, cell, case.trained(cell, f"guided-{guide}"))


def _under(case: Case, params: Params) -> Cell:
    """The MLP with the first seed's attention given: what varies over seeds is the MLP alone."""
    first = jax.tree.map(lambda a: a[0], params)
    splits = {name: with_attention(case.cell, first, split) for name, split in case.cell.corpus.splits()}
    return case.other(MLP, "given", dataclasses.replace(case.cell.corpus, **splits))


def with_attention(cell: Cell, params: Params, texts: Sequence[TextExample]) -> tuple[TextExample, ...]:
    """The texts, each with the attention that this model gives it."""
    made = list(texts)
    for batch in (batch for bucket in buckets_of(cell, texts) for batch in batches(bucket, BATCH)):
        alphas = np.asarray(_attention(cell.model, params, batch))
        for alpha, place, weight in zip(alphas, batch.index, batch.weight, strict=True):
            if weight > 0:
                words = len(texts[place].tokens)
                made[place] = dataclasses.replace(texts[place], given=tuple(alpha[1 : 1 + words].tolist()))
    return tuple(made)


@jax.jit(static_argnums=0)
def _attention(model: AttentiveModel, params: Params, batch: Example) -> jax.Array:
    """Weights [B, T]."""
    return jax.vmap(lambda example: attention_and_logits(model, params, example)[0])(batch)
