"""Jain & Wallace's figures with captions that say which one, of how many instances, and what to look for."""

from collections.abc import Iterator

from attn_jax.report import figures
from attn_jax.report.canvas import ADVERSARIES
from attn_jax.report.drawing import JW, Drawing, count, reservation
from attn_jax.report.material import Material
from attn_jax.results.facts import interval, number, percent
from attn_jax.results.own_statistics import HIGH_JSD


def tau_histograms(material: Material) -> Iterator[Drawing]:
    """Figure 2, for gradients and for leave-one-out."""
    kinds = {"tau_gradient": ("gradients", ""), "tau_loo": ("deletion", " for leave-one-out")}
    for column, (other, which) in kinds.items():
        mean = material.facts.get(f"{column}_mean")
        if mean is None or column not in material.frame.columns:
            continue
        yield Drawing(
            name=column,
            title=f"Attention and {other}",
            caption=f"Kendall's τ between attention and {other}, by predicted class: 1 is the same order of "
            f"words, 0 unrelated. Mean {interval(mean)}, {count(material, column)}. Figure 2 of {JW}{which}.",
            seen=f"Histogram of tau, mean {number(mean)}",
            chart=figures.tau_histogram(material.groups, column),
        )


def three_taus(material: Material) -> Iterator[Drawing]:
    """Attention, gradients and leave-one-out, each with each."""
    facts, pairs = material.facts, ("tau_gradient", "tau_loo", "tau_gradient_loo")
    if not facts.has(*(f"{pair}_mean" for pair in pairs)):
        return
    known = {column: name for column, name in figures.TAUS.items() if facts.has(f"{column}_mean")}
    listed = "; ".join(f"{name} {number(facts[f'{column}_mean'])}" for column, name in known.items())
    yield Drawing(
        name="three-taus",
        title="Three-way agreement",
        caption=f"Do gradients and deletion agree more with each other than with attention? Mean τ: "
        f"{listed}. {count(material, *pairs)}. After the three-way comparison of {JW}.",
        seen=f"Density curves of tau, means: {listed}",
        chart=figures.three_taus(material.frame),
    )


def permutation(material: Material) -> Iterator[Drawing]:
    """Figure 3."""
    moved = material.facts.get("permutation_median_tvd_mean")
    if moved is None or "max_attention" not in material.frame.columns:
        return
    yield Drawing(
        name="permutation",
        title="Shuffled weights",
        caption=f"Median change of the output under random permutations of the weights, by how peaked the "
        f"attention was (box: middle half; line: 5 to 95\u00a0%). Mean {interval(moved)}, "
        f"{count(material, 'permutation_median_tvd')}. Figure 3 of {JW}.",
        seen=f"Box plots in four bins of max attention, mean change {number(moved)}",
        chart=figures.permutation_boxes(material.groups),
    )


def jsd_histograms(material: Material) -> Iterator[Drawing]:
    """Figure 4, with the optimum and the null beside the search."""
    facts = material.facts
    if not facts.has("exact_jsd_mean", "null_jsd_mean"):
        return
    shares = {name: facts.get(f"{column}_above_{HIGH_JSD}_share") for column, name in ADVERSARIES.items()}
    above = ", ".join(f"{name} {percent(share)}" for name, share in shares.items() if share is not None)
    epsilon = material.settings.get("epsilon")
    by = "hardly moves" if epsilon is None else f"moves by at most ε\u00a0=\u00a0{epsilon}"
    yield Drawing(
        name="jsd",
        title="Adversarial attention",
        caption=f"How far an attention can move while the output {by}; 0.69 is as far as there is. "
        f"Above {HIGH_JSD}: {above}. Where no adversary was found the search counts as 0. "
        f"{count(material, 'exact_jsd')}. Figure 4 of {JW}, who show the search."
        f"{reservation(material)}",
        seen=f"Histograms of the divergence; above {HIGH_JSD}: {above}",
        chart=figures.jsd_histograms(material.frame),
    )


def jsd_against_attention(material: Material) -> Iterator[Drawing]:
    """Figure 5."""
    if not {"exact_jsd", "max_attention"} <= set(material.frame.columns):
        return
    shown = f"a spread of {figures.POINTS} points, " if material.frame.height > figures.POINTS else ""
    yield Drawing(
        name="jsd-attention",
        title="Adversaries and peaked attention",
        caption=f"Is peaked attention harder to replace? The exact divergence of each instance against its "
        f"largest weight; {shown}{count(material, 'exact_jsd', 'max_attention')}. "
        f"Figure 5 of {JW}.{reservation(material)}",
        seen="Scatter plot of the exact divergence against max attention",
        chart=figures.jsd_against_attention(material.groups),
    )
