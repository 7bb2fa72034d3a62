"""Attention on trial: every test of Jain & Wallace and every certificate, on one batch.

Four jitted programs a bucket of lengths, each fed by the one `observe`; arrays out, one row per
instance, named as the columns of `examples.parquet`.
"""

import dataclasses
from collections.abc import Mapping

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Key

from attn_jax import certify, outputs
from attn_jax import rng as streams
from attn_jax.analyses.adversary import PAPER, Search, adversary
from attn_jax.analyses.agreement import agreement
from attn_jax.analyses.gradient import gradient
from attn_jax.analyses.leave_one_out import last_position, leave_one_out
from attn_jax.analyses.observe import counterfactual, observe
from attn_jax.analyses.permutation import permutation
from attn_jax.analyses.plausibility import average_precision
from attn_jax.models.seam import AttentiveModel
from attn_jax.types import Evidence, Example, Params

Columns = Mapping[str, Array]


@dataclasses.dataclass(frozen=True)
class Trial:
    """What is asked, and how closely the output must be kept."""

    epsilon: float = 0.01  # J&W: 0.01 for classification, 0.05 for question answering
    epsilon_grid: tuple[float, ...] = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)
    permutations: int = 100
    search: Search = PAPER
    permuted_up_to: int = 64  # tokens: the bound over permutations costs T^3, longer instances go without


def trial(
    model: AttentiveModel, params: Params, batch: Example, rng: Key[Array, ""], settings: Trial
) -> dict[str, np.ndarray]:
    """All columns of a batch [B, ...], rows of padding included. `rng` is the seed's root stream."""
    evidence = observe(model, params, batch, streams.stream(rng, "attention"))
    columns = _appearance(evidence) | importance(model, params, batch, evidence, rng)
    columns |= counterfactuals(model, params, batch, evidence, rng, settings)
    if model.affine:
        columns |= certificates(batch, evidence, rng, settings)
    else:
        columns |= bounds(model, evidence, settings.epsilon)
    return jax.device_get(columns)


@jax.jit
def _appearance(evidence: Evidence) -> Columns:
    return {
        "alpha": evidence.alpha,
        "token_logits": evidence.token_logits,
        "probabilities": outputs.probabilities(evidence.logits),
        "prediction": outputs.predicted(evidence.logits),
        "max_attention": evidence.alpha.max(-1),
        "length": evidence.encoded.mask.sum(-1),
    }


@jax.jit(static_argnums=0)
def importance(
    model: AttentiveModel, params: Params, batch: Example, evidence: Evidence, rng: Key[Array, ""]
) -> Columns:
    """Gradients, leave-one-out, their agreement with attention, and where truth is known with that."""
    until = last_position(batch)

    def one(example: Example, seen: Evidence) -> Columns:
        own = streams.instance(streams.stream(rng, "attention"), example.index)
        slopes = gradient(model, params, example, seen.alpha, seen.logits)
        loo = leave_one_out(model, params, example, seen.logits, own, until=until)
        null = streams.instance(streams.stream(rng, "agreement"), example.index)
        taus = agreement(seen.alpha, slopes.times_input, loo, seen.encoded.mask, null)
        scores = {"attention": seen.alpha, "gradient_x_input": slopes.times_input, "loo": loo}
        return {
            "score/gradient_x_input": slopes.times_input,
            "score/gradient_l2": slopes.l2,
            "score/gradient_sum": slopes.total,
            "score/loo": loo,
            **{f"tau_{name}": tau.tau for name, tau in taus._asdict().items()},
            **{f"tau_{name}_p": tau.p_value for name, tau in taus._asdict().items()},
            **_plausibility(scores, example, seen),
        }

    return jax.vmap(one)(batch, evidence)


def _plausibility(scores: Columns, example: Example, seen: Evidence) -> Columns:
    if example.rationale is None:
        return {}
    mask, truth = seen.encoded.mask, jnp.asarray(example.rationale)
    found = {f"auprc_{name}": average_precision(score, truth, mask) for name, score in scores.items()}
    return found | {"auprc_base_rate": average_precision(jnp.zeros(mask.shape), truth, mask)}


@jax.jit(static_argnums=(0, 5))
def counterfactuals(
    model: AttentiveModel,
    params: Params,
    batch: Example,
    evidence: Evidence,
    rng: Key[Array, ""],
    settings: Trial,
) -> Columns:
    """Permuted and adversarial attention, the states held fixed."""

    def one(example: Example, seen: Evidence) -> Columns:
        decode, mask = counterfactual(model, params, seen), seen.encoded.mask
        own = {
            name: streams.instance(streams.stream(rng, name), example.index) for name in ("permute", "search")
        }
        found = adversary(decode, seen.alpha, mask, settings.epsilon, own["search"], settings.search)
        return {
            "permutation_median_tvd": permutation(
                decode, seen.alpha, mask, own["permute"], samples=settings.permutations
            ),
            "search_jsd": found.jsd,
            "search_feasible": found.feasible,
            "score/search_alpha": found.alpha,
        }

    return jax.vmap(one)(batch, evidence)


@jax.jit(static_argnums=3)
def certificates(batch: Example, evidence: Evidence, rng: Key[Array, ""], settings: Trial) -> Columns:
    """The exact answers, their null and how they depend on epsilon (affine decoders)."""
    epsilons = jnp.array([settings.epsilon, *settings.epsilon_grid])
    # One traced optimum for the model's own and the meaningless logits at every epsilon.
    curves = jax.vmap(certify.jsd_curve, (None, 0, None, None))

    def one(example: Example, seen: Evidence) -> Columns:
        alpha, logits, mask = seen.alpha, seen.token_logits, seen.encoded.mask
        null_rng = streams.instance(streams.stream(rng, "null"), example.index)
        meaningless = certify.shuffled(null_rng, logits, mask)
        own, null = _split(curves(alpha, jnp.stack([logits, meaningless]), mask, epsilons))
        exact = jax.tree.map(lambda values: values[0], own)
        smallest = certify.minimal_flip(alpha, logits, mask)
        return {
            "exact_jsd": exact.jsd,
            "exact_upper_bound": exact.upper_bound,
            "score/exact_alpha": exact.alpha,
            "null_jsd": null.jsd[0],
            "curve_jsd": own.jsd[1:],
            "curve_null_jsd": null.jsd[1:],
            "permutation_can_flip": (certify.permutation_range(alpha, logits, mask).margin_low < 0).any(),
            "flip_count": smallest.count,
            "flip_flips": smallest.flips,
            **_kept_peaks(seen, settings),
        }

    return jax.vmap(one)(batch, evidence)


def _split(both: certify.MaxJsd) -> tuple[certify.MaxJsd, certify.MaxJsd]:
    first, second = (jax.tree.map(lambda values, i=i: values[i], both) for i in range(2))
    return first, second


@jax.jit(static_argnums=(0, 2))
def bounds(model: AttentiveModel, evidence: Evidence, epsilon: float) -> Columns:
    """What single tokens prove about the eps-max JSD of a decoder that is not affine: a bracket."""
    found = jax.vmap(lambda seen: certify.of(model, seen, epsilon).max_jsd)(evidence)
    return {"bound_jsd_low": found.jsd, "bound_jsd_high": found.upper_bound}


def _kept_peaks(seen: Evidence, settings: Trial) -> Columns:
    """The farthest attention that only moves the weights, bracketed.

    For binary outputs: above, each pair of classes needs a bound of its own, and the trial of a batch
    takes a hundred times as long.
    """
    if seen.alpha.shape[0] > settings.permuted_up_to or seen.token_logits.shape[1] > 2:
        return {}
    kept = certify.permuted_jsd(seen.alpha, seen.token_logits, seen.encoded.mask, settings.epsilon)
    return {"permuted_jsd_low": kept.jsd, "permuted_jsd_high": kept.upper_bound}
