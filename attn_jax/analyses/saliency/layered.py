"""Attention of many layers and heads as one weight a token of the text that a classifier reads."""

import dataclasses

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from attn_jax.analyses.case import Case
from attn_jax.analyses.rollout import read_at, rollout, value_weighted
from attn_jax.errors import UserError
from attn_jax.models.layered import Layered


@dataclasses.dataclass(frozen=True)
class Rollout:
    """Abnar & Zuidema (2020): what the deciding token holds of each token, layer upon layer."""

    place: int = 0  # of the token that decides: [CLS]

    def __call__(self, case: Case) -> Float[Array, "T"]:
        """Never negative; 0 where attention may not look."""
        model = _layered(case)
        found = model.attentions(case.params, case.example)
        weights = rollout(jnp.stack([found[site] for site in model.sites]))
        return read_at(weights, self.place, case.example.attendable)


@dataclasses.dataclass(frozen=True)
class ValueWeighted:
    """Kobayashi et al. (2020): the length of what each token adds to the deciding one, at one layer."""

    place: int = 0
    layer: int = -1

    def __call__(self, case: Case) -> Float[Array, "T"]:
        """Never negative; 0 where attention may not look."""
        model = _layered(case)
        layer = range(len(model.sites))[self.layer]
        embedded = model.embed(case.params, case.example)
        encoded = model.encode(case.params, embedded, site=model.sites[layer])
        alpha, values = model.attend(case.params, encoded), encoded.carry.look.values
        kernel = case.params[f"maps_{layer}"]["output"]["kernel"]
        added = value_weighted(alpha, values, kernel.reshape(*values.shape[::2], -1))
        return read_at(added, self.place, case.example.attendable)


def _layered(case: Case) -> Layered:
    """The model, if it is a classifier with self-attention over its text alone."""
    model = case.model
    if not isinstance(model, Layered) or case.logits.ndim > 1:
        raise UserError(
            "Rollout and value-weighted attention are of self-attentive classifiers, which "
            f"{type(model).__name__} is not: use `attention`."
        )
    return model
