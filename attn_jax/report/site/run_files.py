"""One run in the site: its page, its figures, its instances and its alignments."""

import dataclasses
import pathlib
from typing import Any

from attn_jax.report import debate_document, provenance, stances, table
from attn_jax.report.grid import Grid
from attn_jax.report.material import Material
from attn_jax.report.site import alignments, figure_files, instances, scripted
from attn_jax.report.site.pages import Frame
from attn_jax.report.site.run import Run
from attn_jax.results import asks, attention, config, debate, facts, findings


@dataclasses.dataclass(frozen=True)
class Files:
    """What was written of a run: `listed` is its entry where it has instances."""

    figures: list[tuple[str, str]]
    listed: dict[str, str] | None


def write(site: pathlib.Path, frame: Frame, run: Run, limit: int) -> Files:
    """Everything of one run.

    Raises:
        UserError: a file of the run is malformed.
    """
    made = run.material()
    figures = figure_files.write(site, run.slug, made) if made else []
    listed = _instances(site, run, made, limit)
    _page(frame, run, made, bool(figures), listed is not None)
    return Files(figures, listed)


def _instances(site: pathlib.Path, run: Run, made: Material | None, limit: int) -> dict[str, str] | None:
    rows: list[dict[str, Any]] = []
    labels: list[str] = []
    total = 0
    if made is not None:
        rows = instances.write(site, run.slug, instances.kept(made.frame, limit))
        labels, total = made.labels, made.frame.height
    if run.folder is not None and run.folder.attention.exists():
        rows = alignments.write(site, run.slug, attention.read(run.folder.attention), rows)
    if not rows:
        return None
    index = {"labels": labels, "total": max(total, len(rows)), "rows": rows}
    scripted.write(site, f"instances-{run.slug}", index)
    return {"slug": run.slug, "title": run.title or run.slug}


def _debate(run: Run) -> Grid | None:
    """The questions of the debate that its records answer, with null, ceiling and who predicted it."""
    rows = debate.rows(run.records, asks.ALL)
    return debate_document.document(rows, [], run.title).grids[0] if rows else None


def _page(frame: Frame, run: Run, made: Material | None, figures: bool, has_instances: bool) -> None:
    rows = table.rows(run.records, made.labels if made else [])
    folder = run.folder
    frame.write(
        f"runs/{run.slug}.html",
        "site/run.html",
        title=run.title or run.slug,
        heading="Is attention an explanation?" if run.verdict.findings else run.slug,
        scripts=["charts", "run"],
        subject=[part for part in run.subject if part],
        slug=run.slug,
        caveats=run.caveats,
        verdict=run.verdict,
        asks={},
        stances=stances.WORDS,
        notes=[facts.INTERVALS, findings.THRESHOLDS],
        debate=_debate(run),
        figures=figures,
        has_instances=has_instances,
        published_rows=[row for row in rows if table.is_published(row)],
        own_rows=[row for row in rows if not table.is_published(row)],
        provenance=provenance.rows(config.read(folder.config)) if folder else [],
    )
