"""One self-contained page a run: it opens from disk, runs nothing and asks the network for nothing."""

import pathlib

from attn_jax.report import chosen, gallery, heatmap, material, provenance, stances, table, templating
from attn_jax.results import atomic, facts, findings, verdict
from attn_jax.results.run_dir import RunDir


def write_page(run_dir: pathlib.Path) -> pathlib.Path:
    """Builds `index.html` from the other files of a run directory, and returns its path.

    Raises:
        UserError: a file of the run is missing or malformed.
    """
    run = RunDir(run_dir)
    atomic.write_text(run.page, page(material.load(run_dir)))
    return run.page


def page(made_of: material.Material) -> str:
    """The whole page as text; the same material gives the same page."""
    rows = table.rows(made_of.records, made_of.labels)
    return templating.render(
        "page.html",
        subject=made_of.subject,
        verdict=verdict.of(made_of.records),
        asks={},
        stances=stances.WORDS,
        notes=[facts.INTERVALS, findings.THRESHOLDS],
        figures=gallery.gallery(made_of),
        heatmaps=[heatmap.heatmap(why, row, made_of.labels) for why, row in chosen.chosen(made_of.frame)],
        planted=made_of.facts.has("auprc_attention_mean"),
        published_rows=[row for row in rows if table.is_published(row)],
        own_rows=[row for row in rows if not table.is_published(row)],
        provenance=provenance.rows(made_of.config),
    )
