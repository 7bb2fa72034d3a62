"""The attention of a few translated sentences along their references, for attention.parquet."""

from collections.abc import Iterator, Sequence
from typing import Any

import jax
import numpy as np

from attn_jax.data.examples import TextExample
from attn_jax.data.translation import Languages, pair_buckets, source_text, target_text
from attn_jax.models.layered import Layered
from attn_jax.models.writing import Writer
from attn_jax.results import attention
from attn_jax.types import Example, Params

SHOWN = 20  # sentences


def alignments(
    run: str, seed: int, model: Writer, params: Params, texts: Sequence[TextExample], languages: Languages
) -> Iterator[dict[str, Any]]:
    """One row per sentence and site, of the first sentences; the history is that of the reference."""
    look = jax.jit(lambda example: _alphas(model, params, example))
    for bucket in pair_buckets(texts[:SHOWN], languages, (_longest(texts[:SHOWN], languages),)):
        for i, index in enumerate(bucket.rows.index):
            text = texts[int(index)]
            source = languages.source.pieces(languages.source.encode(source_text(text)))
            target = languages.target.pieces(languages.target.encode(target_text(text)))[1:]
            for site, alpha in look(jax.tree.map(lambda a, i=i: a[i], bucket.rows)).items():
                queries = source if site.startswith("enc") else target
                keys = target if site.endswith("self") else source
                cut = np.asarray(alpha)[..., : len(queries), : len(keys)]
                yield attention.row(run, seed, text.id, site, queries, keys, cut)


def _alphas(model: Writer, params: Params, example: Example) -> dict[str, Any]:
    """Natural attention by site."""
    if isinstance(model, Layered):
        return model.attentions(params, example)
    return {model.sites[0]: model.traverse(params, example).alpha}


def _longest(texts: Sequence[TextExample], languages: Languages) -> int:
    sides = [len(languages.source.encode(source_text(text))) for text in texts]
    return max(sides + [len(languages.target.encode(target_text(text))) for text in texts])
