"""One spec per corpus and preparation, found by the names of the published tables."""

import dataclasses
from typing import Literal, get_args

from attn_jax.data.specs import sentiment, topics
from attn_jax.data.specs.spec import DatasetSpec
from attn_jax.errors import UserError

Preparation = Literal["jain_wallace", "released", "tutek_snajder"]

_ALL = (
    sentiment.SST,
    sentiment.IMDB,
    topics.NEWSGROUPS,
    topics.AGNEWS,
    sentiment.YELP,
    sentiment.YELP_POLARITY,
)
PUBLISHED: dict[str, DatasetSpec] = {spec.name: spec for spec in _ALL}

# J&W's released code maps digits on these three only (DECISIONS 12: the paper says all).
_QQQ_RELEASED = ("agnews", "snli", "20news")


def get(name: str, preparation: Preparation = "jain_wallace") -> DatasetSpec:
    """The spec of a published corpus; a wrong name lists the right ones."""
    if name not in PUBLISHED:
        raise UserError(f"unknown dataset {name!r}; choose one of {', '.join(sorted(PUBLISHED))}.")
    spec = PUBLISHED[name]
    if preparation == "released" and name not in _QQQ_RELEASED:
        return dataclasses.replace(spec, rules=dataclasses.replace(spec.rules, qqq=False))
    if preparation not in get_args(Preparation):
        raise UserError(
            f"unknown preparation {preparation!r}; choose one of {', '.join(get_args(Preparation))}."
        )
    return spec
