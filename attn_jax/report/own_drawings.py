"""The figures that the papers lack, with their captions."""

from collections.abc import Iterator

from attn_jax.report import added_figures
from attn_jax.report.canvas import ADVERSARIES
from attn_jax.report.drawing import Drawing, count, reservation
from attn_jax.report.material import Material
from attn_jax.results.facts import number

_CURVES = {"curve_jsd": ADVERSARIES["exact_jsd"], "curve_null_jsd": ADVERSARIES["null_jsd"]}
_RANKINGS = {"attention": "attention", "gradient_x_input": "gradient", "loo": "deletion"}


def jsd_curve(material: Material) -> Iterator[Drawing]:
    """Whether the answer hangs on the tolerance."""
    points = [
        (group, float(epsilon), record)
        for column, group in _CURVES.items()
        for epsilon in material.settings.get("epsilon_grid", [])
        if (record := material.facts.get(f"{column}_mean@{epsilon:g}")) is not None
    ]
    if len(points) < 2:
        return
    listed = ", ".join(f"{group} {number(record)} at {epsilon:g}" for group, epsilon, record in points)
    yield Drawing(
        name="jsd-curve",
        title="Divergence against tolerance",
        caption=f"Does the answer hang on how much the output may move? Mean exact divergence with its 95 % "
        f"interval, beside the null. {count(material, 'curve_jsd')}.{reservation(material)}",
        seen=f"Curves: {listed}",
        chart=added_figures.jsd_curve(points),
    )


def planted(material: Material) -> Iterator[Drawing]:
    """Each ranking against the words known to decide."""
    facts = material.facts
    base = facts.get("auprc_base_rate_mean")
    known = {name: facts.get(f"auprc_{method}_mean") for method, name in _RANKINGS.items()}
    bars = [(name, record) for name, record in known.items() if record is not None]
    if not bars or base is None:
        return
    listed = ", ".join(f"{name} {number(record)}" for name, record in bars)
    yield Drawing(
        name="planted",
        title="Planted words",
        caption=f"How well each ranking finds the words known to decide; 1 is all of them first. Dashed: a "
        f"random ranking, {number(base)}. {count(material, 'auprc_attention')}.",
        seen=f"Bars: {listed}; a random ranking {number(base)}",
        chart=added_figures.auprc_bars(bars, base.value),
    )


def training(material: Material) -> Iterator[Drawing]:
    """The loss, and whatever was measured on the development split."""
    measured = {column for row in material.metrics for column in row if column.startswith("dev_")}
    for column in ("loss", *sorted(measured)):
        values = [row[column] for row in material.metrics if column in row]
        if len(values) < 2:
            continue
        name = column.removeprefix("dev_").replace("_", " ").replace("roc auc", "ROC AUC")
        split = "training" if column == "loss" else "development"
        yield Drawing(
            name=f"training-{column}",
            title=f"Training: {name}",
            caption=f"On the {split} split, a line for each seed.",
            seen=f"Line from {values[0]:.2f} to {values[-1]:.2f}",
            chart=added_figures.training_curve(material.metrics, column, name),
        )
