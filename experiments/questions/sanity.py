"""Adebayo et al. (2018), Kindermans et al. (2019): which methods would say the same of another model?"""

import functools
from collections.abc import Mapping

import jax
import polars as pl
from jax import Array

from attn_jax import rng as streams
from attn_jax.analyses.comparison import COMPARED
from attn_jax.analyses.saliency import METHODS
from attn_jax.analyses.sanity import kept, randomised, shiftable, shifted
from attn_jax.models.seam import AttentiveModel
from attn_jax.results import measure
from attn_jax.results.records import Record
from attn_jax.types import Example, Params
from experiments.questions.case import Case, Statistics
from experiments.trained import buckets_of

# Occlusion sees nothing but outputs, so it follows the model by what it is; the others are near kin.
LEFT_OUT = ("occlusion_delete", "occlusion_signed", "integrated_gradients_live", "smoothgrad")
CHECKED = {name: METHODS[name] for name in COMPARED if name not in LEFT_OUT}


def answered(case: Case) -> list[Record]:
    """The agreement of each method with itself, weights drawn anew or the input moved."""
    frame = case.examined(functools.partial(checked, fresh=_fresh(case)))
    return case.records(_statistics(frame))


def checked(
    model: AttentiveModel, params: Params, batch: Example, rng: Array, *, fresh: Params
) -> Mapping[str, Array]:
    """Columns [B]; the shift only where it can be taken back."""
    others = {"randomised": randomised(params, fresh)}
    if shiftable(model):
        others["shifted"] = shifted(model, params)
    return kept(model, params, others, batch, rng, CHECKED)


def _fresh(case: Case) -> Params:
    """Weights that nothing was learned with."""
    rows = buckets_of(case.cell, case.texts[:1])[0].rows
    rng = streams.stream(streams.root(0), "randomised")
    return case.cell.model.init_params(rng, jax.tree.map(lambda a: a[0], rows))


def _statistics(frame: pl.DataFrame) -> Statistics:
    for kind in ("randomised", "shifted"):
        for name in CHECKED:
            yield f"{kind}_{name}_tau_mean", measure.mean(frame, pl.col(f"{kind}/{name}"))
        yield f"{kind}_output_tvd_mean", measure.mean(frame, pl.col(f"{kind}/tvd"))
