"""The page of a debate: the verdict table, its limits, and the figures of those tests that have one."""

import pathlib
from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from attn_jax.report import altered_figures, debate_document, debate_figures, templating
from attn_jax.report.canvas import grouped
from attn_jax.report.drawing import Drawing
from attn_jax.report.regularised_page import drawn
from attn_jax.results import atomic, wiegreffe_pinter
from attn_jax.results.debate import Ask, Row
from attn_jax.results.records import OURS, Record

Found = Mapping[tuple[str, str], Record]  # by variant and metric


def write(
    folder: pathlib.Path,
    rows: Sequence[Row],
    unanswered: Sequence[Ask],
    records: Sequence[Record],
    labels: Sequence[str],
) -> pathlib.Path:
    """Builds `debate.html` in the folder of a run whose classes are called `labels`; its path."""
    made = debate_document.document(rows, unanswered, records[0].run if records else "")
    found = {(r.variant, r.metric): r for r in records if r.paper == OURS and not r.label}
    drawings = [*_seeds(folder, labels), *_frontier(found), *_hidden(found), *_erased(found)]
    page = templating.render(
        "tables.html",
        title=made.title,
        lead=" ".join(made.lead),
        grids=made.grids,
        figures=[drawn(drawing) for drawing in drawings],
        zip=zip,
    )
    path = folder / "debate.html"
    atomic.write_text(path, page)
    return path


def _seeds(folder: pathlib.Path, labels: Sequence[str]) -> Iterator[Drawing]:
    """Wiegreffe & Pinter's violins."""
    path = folder / "tests" / "seeds.parquet"
    if not path.exists():
        return
    instances = wiegreffe_pinter.seed_variance(pl.read_parquet(path)).rename(
        {"target_max_attention": "max_attention", "target_prediction": "prediction"}
    )
    groups = {name: part for name, part in grouped(instances, labels).items() if part.height}
    middle = instances["jsd_median"].median()
    yield Drawing(
        name="seeds",
        title="Attention of other seeds",
        caption="Median JSD (nats) of eight seeds from the base's attention, by the base's largest weight "
        f"and predicted class; lines: medians. n\u00a0=\u00a0{instances.height:,}. After Wiegreffe & Pinter "
        "(2019).",
        seen=f"Violins in four bins of max attention; median over all {middle:.2f}",
        chart=altered_figures.violins(groups, "jsd_median", "median JSD from the base (nats)"),
    )


def _frontier(found: Found) -> Iterator[Drawing]:
    jsd, tvd = (_by_strength(found, "adversary", f"{name}_mean") for name in ("jsd", "tvd"))
    if not jsd:
        return
    rows = [{"x": jsd[s], "y": tvd[s], "group": "trained adversary", "order": s} for s in sorted(jsd)]
    listed = "; ".join(f"lambda {s:g}: JSD {jsd[s]:.2f}, TVD {tvd[s]:.3f}" for s in sorted(jsd))
    yield Drawing(
        name="frontier",
        title="What other attention costs",
        caption="Change of the output (TVD) against distance of the attention (JSD, nats) of models trained "
        "to keep the one and move the other, a point a lambda. After Wiegreffe & Pinter (2019).",
        seen=f"A curve: {listed}",
        chart=debate_figures.curves(rows, "JSD from the base (nats)", "TVD of the outputs"),
    )


def _hidden(found: Found) -> Iterator[Drawing]:
    parts = {"accuracy": "accuracy", "attention on the hidden tokens": "mass_mean"}
    curves = {words: _by_strength(found, "manipulated", name) for words, name in parts.items()}
    if not all(curves.values()):
        return
    rows = [{"x": s, "y": y, "group": name, "order": s} for name, c in curves.items() for s, y in c.items()]
    listed = "; ".join(f"{row['group']} at {row['x']:g}: {row['y']:.2f}" for row in rows)
    yield Drawing(
        name="hidden",
        title="Attention trained away from the tokens that matter",
        caption="Accuracy and attention on the hidden tokens over lambda. After Pruthi et al. (2020).",
        seen=f"Two curves: {listed}",
        chart=debate_figures.curves(rows, "lambda", "share"),
    )


def _erased(found: Found) -> Iterator[Drawing]:
    rows = [
        {"x": share, "y": y, "group": f"{variant}, {order}", "order": share}
        for variant in ("plain", "diversity", "orthogonal")
        for order in ("attention", "random")
        for share, y in _by_strength(found, variant, f"{order}_flipped_share").items()
    ]
    if not rows:
        return
    half = "; ".join(f"{row['group']} {row['y']:.2f}" for row in rows if row["x"] == 0.5)
    yield Drawing(
        name="erased",
        title="Decisions changed by erasing weights",
        caption="Share of the decisions that have changed once a share of the tokens is erased, highest "
        "attention first or at random. After Mohankumar et al. (2020).",
        seen=f"Curves; with half of the tokens erased: {half}",
        chart=debate_figures.curves(rows, "share of the tokens erased", "decisions changed"),
    )


def _by_strength(found: Found, variant: str, metric: str) -> dict[float, float]:
    """The values of `metric@NUMBER`, by number."""
    named = {m: r.value for (v, m), r in found.items() if v == variant and m.startswith(f"{metric}@")}
    return {float(name.partition("@")[2]): value for name, value in named.items()}
