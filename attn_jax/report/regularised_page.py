"""One page for all cells of Tutek & Snajder's tables that stand in a folder, with their figures."""

import pathlib
import re
from collections.abc import Iterable, Iterator, Sequence

import markupsafe

from attn_jax.report import regularised_figures as figures
from attn_jax.report import render, sentences, templating
from attn_jax.report.drawing import Drawing
from attn_jax.report.gallery import Figure
from attn_jax.report.regularised_tables import grids
from attn_jax.results import atomic, config, examples, pool, records
from attn_jax.results.facts import bounds
from attn_jax.results.records import Record
from attn_jax.results.run_dir import RunDir

TS = "Tutek & Šnajder (2020)"
Place = tuple[str, str, str]  # data set, encoder, attention


def write_page(folder: pathlib.Path) -> pathlib.Path:
    """Builds `index.html` from the runs in the folder, and returns its path.

    Raises:
        UserError: there are no runs, or a file of one is malformed.
    """
    path = RunDir(folder).page
    atomic.write_text(path, page(folder))
    return path


def page(folder: pathlib.Path) -> str:
    """The whole page as text; the same runs give the same page."""
    made = pool.read([folder])
    drawings = [*_imitation(made), *_entropy(made), *_sentences(folder)]
    return templating.render(
        "tables.html",
        title="Can attention become explanation?",
        lead=f"Regularisers that tie a state to its word, after {TS}: do they make the output depend on "
        "where attention lies, and at what price?",
        grids=grids(made),
        figures=[drawn(drawing) for drawing in drawings],
    )


def drawn(drawing: Drawing) -> Figure:
    """The figure of a page of tables."""
    svg = render.svg(drawing.chart, name=drawing.name, alt_text=drawing.seen)
    # A long sentence needs its width; the figure scrolls.
    wide = svg.replace("<svg ", '<svg style="max-width: none" ', 1)
    return Figure(drawing.name, drawing.title, drawing.caption, markupsafe.Markup(wide))


def _imitation(made: Iterable[Record]) -> Iterator[Drawing]:
    """Figure 1, a drawing a data set, encoder and attention."""
    curves: dict[Place, dict[tuple[str, float], dict[str, float]]] = {}
    for record in made:
        name, _, strength = record.metric.partition("@")
        if name in ("imitation_jsd_mean", "imitation_tvd_mean"):
            point = curves.setdefault(_place(record), {}).setdefault((record.variant, float(strength)), {})
            point[name.split("_")[1]] = record.value
    for place, points in curves.items():
        variants = _ordered({variant for variant, _ in points})
        rows = [{"variant": v, "strength": s, **point} for (v, s), point in sorted(points.items())]
        yield Drawing(
            name=identifier("imitation", *place),
            title=f"Imitators: {', '.join(place)}",
            caption="What a model that copies another's outputs must give up for attention that differs: the "
            f"higher the curve, the more the attention is tied to the outputs. A point a weight of "
            f"the divergence; means over test instances and seeds. Figure 1 of {TS}.",
            seen=f"Curves of TVD against JSD for {', '.join(variants)}",
            chart=figures.imitation_curves(rows, variants),
        )


def _entropy(made: Iterable[Record]) -> Iterator[Drawing]:
    """Appendix C, a drawing a data set."""
    found: dict[str, list[dict]] = {}
    for record in made:
        name, _, epoch = record.metric.partition("@")
        if name == "dev_attention_entropy" and record.attention in figures.STARTS:
            low, high = bounds(record)
            row = {"start": figures.STARTS[record.attention], "epoch": int(epoch), "entropy": record.value}
            found.setdefault(record.dataset, []).append(row | {"low": low, "high": high})
    for dataset, rows in found.items():
        starts = [start for start in figures.STARTS.values() if any(row["start"] == start for row in rows)]
        last = {row["start"]: row["entropy"] for row in sorted(rows, key=lambda row: row["epoch"])}
        listed = ", ".join(f"{start} {last[start]:.2f}" for start in starts)
        yield Drawing(
            name=identifier("entropy", dataset),
            title=f"The start of the query: {dataset}",
            caption="Entropy of dot-product attention on the development split, as a share of the largest, "
            f"from two initialisations of its query. At the end: {listed}. Appendix C of {TS}.",
            seen=f"Curves of relative entropy over epochs, at the end {listed}",
            chart=figures.entropy_curves(rows, starts),
        )


def _sentences(folder: pathlib.Path) -> Iterator[Drawing]:
    """Figures 2 to 7, for each data set, encoder and attention with a base and another variant."""
    for place, runs in _cells(folder).items():
        frames = {variant: examples.read(run.examples) for variant, run in runs.items()}
        labels = config.read(next(iter(runs.values())).config)["settings"].get("labels", [])
        for number, sentence in enumerate(sentences.chosen(frames)):
            yield _sentence(place, number, sentence, labels)


def _sentence(place: Place, number: int, sentence: sentences.Sentence, labels: Sequence[str]) -> Drawing:
    first = next(iter(sentence.rows.values()))
    label = 1 if len(first["probabilities"]) == 2 else first["gold"]
    name = labels[label] if label < len(labels) else f"class {label}"
    rows = [
        {"variant": variant, "place": i, "probability": value}
        for variant, row in sentence.rows.items()
        for i, value in enumerate(sentences.token_values(row, label))
    ]
    said = [{"variant": v, "probability": row["probabilities"][label]} for v, row in sentence.rows.items()]
    gold = labels[first["gold"]] if first["gold"] < len(labels) else first["gold"]
    means = "; ".join(f"{row['variant']} says {row['probability']:.2f}" for row in said)
    chart = figures.token_probabilities(
        sentences.words(first), rows, said, _ordered(sentence.rows), f"probability of {name}"
    )
    return Drawing(
        name=identifier("tokens", *place, str(number)),
        title=f"{sentence.why}: {', '.join(place)}",
        caption=f"Instance {first['id']}, in truth {gold}: the output if all attention lay on that word; "
        f"dotted, the output of the model. As Figures 2 to 7 of {TS}, first seed.",
        seen=f"Lines of the probability at each word; {means}",
        chart=chart,
    )


def _cells(folder: pathlib.Path) -> dict[Place, dict[str, RunDir]]:
    """The runs of the tables by place and variant: those that kept their examples."""
    found: dict[Place, dict[str, RunDir]] = {}
    for path in sorted(folder.glob("*/examples.parquet")):
        run = RunDir(path.parent)
        if run.records.exists():
            record = records.read(run.records)[0]
            found.setdefault(_place(record), {})[record.variant] = run
    return {place: {v: runs[v] for v in _ordered(runs)} for place, runs in found.items()}


def identifier(*parts: str) -> str:
    """The parts as an id; a data set may be called after a file."""
    return re.sub(r"[^a-z0-9]+", "-", "-".join(parts).lower())


def _place(record: Record) -> Place:
    return record.dataset, record.encoder, record.attention


def _ordered(variants: Iterable[str]) -> list[str]:
    known = list(figures.VARIANTS)
    return sorted(variants, key=lambda name: (known.index(name) if name in known else len(known), name))
