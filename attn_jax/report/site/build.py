"""The whole site from a set of runs: a folder of files that opens from disk."""

import pathlib
import shutil
from collections.abc import Sequence

from tqdm import tqdm

from attn_jax.errors import UserError
from attn_jax.report import render
from attn_jax.report.site import assets, comparison, documentation, figure_files, pages, run_files, scripted
from attn_jax.report.site.run import Run, read
from attn_jax.results import atomic

_MARK = "site.txt"
_PARTS = ("assets", "data", "runs", "docs")


def build(
    folders: Sequence[pathlib.Path], out: pathlib.Path, *, limit: int = 400, docs: pathlib.Path | None = None
) -> pathlib.Path:
    """Writes the site and returns its first page.

    Args:
        folders: every `records.csv` in or below them counts.
        out: the folder of the site; one that a build made before is replaced.
        limit: at most so many rows of instances a run.
        docs: folder of Markdown files for the Documentation page, with the package beside it.

    Raises:
        UserError: a run is malformed, or `out` holds something that is no site.
    """
    runs = read(folders)
    _clear(out)
    atomic.write_text(out / _MARK, "Made by attn_jax: the next build replaces this folder's contents.\n")
    assets.write(out)
    scripted.write(out, "theme", render.THEME)
    frame = pages.Frame(out, len(runs), docs is not None)
    files = [run_files.write(out, frame, run, limit) for run in tqdm(runs, desc="runs", unit="run")]
    _compare(out, runs, files)
    scripted.write(out, "instances", [entry for one in files if (entry := one.listed) is not None])
    pages.write(frame, runs)
    if docs is not None:
        documentation.write(frame, docs)
    return out / "index.html"


def save_figures(
    folders: Sequence[pathlib.Path], out: pathlib.Path, form: figure_files.Format
) -> list[pathlib.Path]:
    """Every figure of every run as a file, ready for a paper."""
    found = [(run, run.material()) for run in read(folders)]
    return [
        path
        for run, made in tqdm(found, desc="figures", unit="run")
        if made is not None
        for path in figure_files.save(out, run.slug, made, form)
    ]


def _compare(out: pathlib.Path, runs: Sequence[Run], files: Sequence[run_files.Files]) -> None:
    listed = [
        {
            "place": place,
            "slug": run.slug,
            "title": run.title or run.slug,
            "subject": run.subject,
            "figures": [name for name, _ in made.figures],
        }
        for place, (run, made) in enumerate(zip(runs, files, strict=True))
    ]
    found = {
        "runs": listed,
        "metrics": comparison.write(out, runs),
        "figures": figure_files.names([made.figures for made in files]),
        "spec": comparison.chart(),
    }
    scripted.write(out, "compare", found)


def _clear(out: pathlib.Path) -> None:
    """Removes what an earlier build left, and nothing else."""
    if out.exists() and any(out.iterdir()) and not (out / _MARK).exists():
        raise UserError(f"{out} holds files that are no site; choose another folder for it.")
    for part in _PARTS:
        shutil.rmtree(out / part, ignore_errors=True)
    for page in out.glob("*.html"):
        page.unlink()
