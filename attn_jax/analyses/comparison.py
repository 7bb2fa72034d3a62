"""Every saliency method on one batch: do they agree, is the prediction theirs, do they find the truth?"""

import dataclasses
import functools
import itertools
from collections.abc import Mapping

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Key

from attn_jax import outputs
from attn_jax import rng as streams
from attn_jax.analyses import selection
from attn_jax.analyses.agreement_matrix import agreement_matrix
from attn_jax.analyses.case import Case
from attn_jax.analyses.erasure import MODES, erase
from attn_jax.analyses.faithfulness import faithfulness
from attn_jax.analyses.observe import observe
from attn_jax.analyses.plausibility import average_precision, iou_f1, token_f1
from attn_jax.analyses.saliency import METHODS, Method, saliency
from attn_jax.analyses.saliency.integrated_gradients import IntegratedGradients
from attn_jax.models.alterations import permute
from attn_jax.models.seam import AttentiveModel
from attn_jax.types import AnyArray, Evidence, Example, Params

SHUFFLED = "shuffled"  # the null: the attention's own weights on other tokens
COMPARED = (
    "attention",
    "gradient_l2",
    "gradient_x_input",
    "integrated_gradients",
    "integrated_gradients_live",
    "smoothgrad",
    "occlusion_delete",
    "occlusion_signed",
    "lrp",
)

Columns = Mapping[str, Array]


@dataclasses.dataclass(frozen=True)
class Comparison:
    """What is compared and how."""

    methods: tuple[tuple[str, Method], ...] = tuple((name, METHODS[name]) for name in COMPARED)
    erasures: tuple[str, ...] = ("delete", "renormalise", "mask")  # the first is meant where none is named
    share: float = 0.1  # of the tokens that make a rationale: the corpus's mean (DeYoung et al. 2020)
    top: int = 5


def compared(
    model: AttentiveModel,
    params: Params,
    batch: Example,
    rng: Key[Array, ""],
    how: Comparison | None = None,
) -> Columns:
    """Columns [B, ...] of texts with one attention; a method or pair of them stands in the column's name,
    pairs in the order of the alphabet, the null last.

    Scores are compared by their magnitude, as some have no sign; what is erased first and what is held
    against a rationale speaks for the prediction most.
    """
    how = how or Comparison()
    evidence = observe(model, params, batch, streams.stream(rng, "attention"))
    scores = saliency(model, params, batch, evidence, rng, dict(how.methods))
    return {f"score/{name}": score for name, score in scores.items()} | dict(
        _judged(model, params, batch, evidence, scores, rng, how)
    )


@jax.jit(static_argnums=(0, 6))
def _judged(
    model: AttentiveModel,
    params: Params,
    batch: Example,
    evidence: Evidence,
    scores: Columns,
    rng: Key[Array, ""],
    how: Comparison,
) -> Columns:
    def one(example: Example, seen: Evidence, scores: Columns) -> Columns:
        own = streams.instance(streams.stream(rng, "attention"), example.index)
        case = Case(model, params, example, seen, own)
        null = streams.instance(streams.stream(rng, "comparison"), example.index)
        every = {**dict(sorted(scores.items())), SHUFFLED: permute(null, seen.alpha, seen.encoded.mask, 1)[0]}
        return {
            "prediction": outputs.predicted(seen.logits),
            "length": seen.encoded.mask.sum(),
            **_agreement(every, seen.encoded.mask, how.top),
            **_faithfulness(case, every, how.erasures),
            **_plausibility(case, every, how.share),
            **_completeness(case, scores, how),
        }

    return jax.vmap(one)(batch, evidence, scores)


def _agreement(scores: Columns, mask: Bool[AnyArray, "T"], top: int) -> Columns:
    found = agreement_matrix(jnp.abs(jnp.stack(list(scores.values()))), mask, top=top)
    pairs = itertools.combinations(enumerate(scores), 2)
    return {
        f"{kind}/{first}/{second}": matrix[i, j]
        for (i, first), (j, second) in pairs
        for kind, matrix in (("tau", found.tau), ("overlap", found.overlap))
    }


def _faithfulness(case: Case, scores: Columns, erasures: tuple[str, ...]) -> Columns:
    """The four areas under the curves, by the method that ordered the tokens and what removing means."""
    ordered, mask, columns = jnp.stack(list(scores.values())), case.seen.encoded.mask, {}
    for mode in erasures:
        suffix = "" if mode == erasures[0] else f"@{mode}"
        erased = functools.partial(_erased, case, mode)
        found = jax.lax.map(lambda one, erased=erased: faithfulness(erased, one, mask), ordered)
        for area in (area for area in found._fields if area.startswith("aopc_")):
            values = getattr(found, area)
            columns |= {f"{area}{suffix}/{name}": values[i] for i, name in enumerate(scores)}
    return columns


def _erased(case: Case, mode: str, removed: Bool[Array, "T"]) -> Float[Array, "C"]:
    return erase(case, removed, MODES[mode])


def _plausibility(case: Case, scores: Columns, share: float) -> Columns:
    if case.example.rationale is None:
        return {}
    mask, truth = jnp.asarray(case.seen.encoded.mask), jnp.asarray(case.example.rationale)
    count = jnp.ceil(share * mask.sum()).astype(jnp.int32)

    def one(score: Float[Array, "T"]) -> tuple[Array, ...]:
        chosen = selection.top(score, mask, count)
        f1s = token_f1(chosen, truth, mask), iou_f1(chosen, truth, mask)
        return average_precision(score, truth, mask), *f1s

    # One method after the other: spans are compared with spans, which is much for a long text.
    found = zip(
        ("auprc", "token_f1", "iou_f1"), jax.lax.map(one, jnp.stack(list(scores.values()))), strict=True
    )
    return {f"{kind}/{name}": values[i] for kind, values in found for i, name in enumerate(scores)}


def _completeness(case: Case, scores: Columns, how: Comparison) -> dict[str, Float[Array, ""]]:
    """What integrated gradients miss of the change that they should add up to."""
    found = {}
    for name, method in how.methods:
        if isinstance(method, IntegratedGradients):
            change = method.change(case)
            found |= {f"change/{name}": change, f"residual/{name}": scores[name].sum() - change}
    return found
