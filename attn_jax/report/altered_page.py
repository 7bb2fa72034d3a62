"""One page for all runs of Vashishth et al.'s tables that stand in a folder, with their Figures 1 to 3."""

import pathlib
from collections.abc import Iterator, Sequence

import polars as pl

from attn_jax.report import altered_figures as figures
from attn_jax.report import layer_figures, templating
from attn_jax.report.altered_tables import SCORES, grids
from attn_jax.report.binning import Row
from attn_jax.report.canvas import grouped
from attn_jax.report.drawing import Drawing
from attn_jax.report.regularised_page import drawn, identifier
from attn_jax.results import atomic, config, examples, pool, published
from attn_jax.results.facts import bounds
from attn_jax.results.records import Record
from attn_jax.results.run_dir import RunDir
from attn_jax.results.vashishth import PAPER

V = "Vashishth et al. (2019)"
_TRAINED = "uniform_train_infer"


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
    drawings = [*_figure1(made), *_figures_2_and_3(folder), *layer_figures.drawings(made)]
    return templating.render(
        "tables.html",
        title="Does attention matter here?",
        lead=f"What a model loses when its attention is replaced, after {V}: in training and inference, or "
        "at inference alone; with one text, two texts, and a text to be written.",
        grids=grids(made),
        figures=[drawn(drawing) for drawing in drawings],
    )


def _figure1(made: Sequence[Record]) -> Iterator[Drawing]:
    rows = _scores(made)
    names = list(dict.fromkeys(row["run"] for row in rows))
    if not names:
        return
    listed = "; ".join(f"{row['run']}, {row['group']}: {row['score']:.1f}" for row in rows)
    yield Drawing(
        name="with-and-without",
        title="With and without attention",
        caption="Scores with the model's own attention and trained with uniform attention; lines: 95 % "
        f"interval; marks: published. As Figure 1 of {V}, which shows IMDB, SNLI and News Commentary.",
        seen=f"Bars: {listed}",
        chart=figures.with_and_without(rows, names),
    )


def _scores(made: Sequence[Record]) -> list[Row]:
    """The two bars of every run that was also trained with uniform attention."""
    ours = {record.key(): record for record in made if record.paper == PAPER}
    printed = {row[:-2]: row[-2] for row in published.load().iter_rows()}
    rows = []
    for key, record in sorted(ours.items()):
        changed = (*key[:5], _TRAINED, key[6], f"{record.metric}_change")
        if record.metric not in SCORES or changed not in ours:
            continue
        change = ours[changed]
        published_score, published_change = printed.get(key), printed.get(changed)
        run = {"run": f"{record.dataset}, {record.attention}"}
        rows.append(run | _bar(figures.OWN, 0.0, record) | {"printed": published_score})
        known = published_score is not None and published_change is not None
        rows.append(
            run
            | _bar(figures.UNIFORM, record.value, change)
            | {"printed": published_score + published_change if known else None}  # pyright: ignore
        )
    return rows


def _bar(group: str, base: float, record: Record) -> Row:
    low, high = bounds(record)
    return {"group": group, "score": base + record.value, "low": base + low, "high": base + high}


def _figures_2_and_3(folder: pathlib.Path) -> Iterator[Drawing]:
    """Both figures of every run that kept its examples."""
    for path in sorted(folder.rglob("examples.parquet")):
        run = RunDir(path.parent)
        if run.records.exists():
            frame = examples.read(run.examples)
            groups = {name: part for name, part in grouped(frame, _labels(run)).items() if part.height}
            yield from _figure2(frame, groups)
            yield from _figure3(frame, groups)


def _figure2(frame: pl.DataFrame, groups: figures.Groups) -> Iterator[Drawing]:
    if "permutation_median_tvd" not in frame.columns:
        return
    run, seeds = frame["run"][0], frame["seed"].n_unique()
    yield Drawing(
        name=identifier("permuted", run),
        title=f"Permuted attention: {run}",
        caption="Median change of the output over 100 permutations of the weights, by how peaked the "
        "attention was and what was predicted; lines: medians. "
        f"n\u00a0=\u00a0{frame.height:,}, seeds: {seeds}. As Figure 2 of {V}.",
        seen="Violins in four bins of max attention; median over all "
        f"{frame['permutation_median_tvd'].median():.2f}",
        chart=figures.permutation_violins(groups),
    )


def _figure3(frame: pl.DataFrame, groups: figures.Groups) -> Iterator[Drawing]:
    if "removed_delta_js" not in frame.columns or not frame["removed_delta_js"].count():
        return
    run, known = frame["run"][0], frame["removed_delta_js"].drop_nulls()
    yield Drawing(
        name=identifier("removed", run),
        title=f"One weight removed: {run}",
        caption="Zeroing the highest weight against a random other one: how much further the output moves, "
        f"over how much higher the weight was. n\u00a0=\u00a0{len(known):,}. As Figure 3 of {V}.",
        seen=f"Scatter plot of the difference of divergences, median {known.median():.3f}",
        chart=figures.removal_scatter(groups),
    )


def _labels(run: RunDir) -> Sequence[str]:
    return config.read(run.config)["settings"].get("labels", [])
