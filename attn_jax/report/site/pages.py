"""The pages that every site has, in the order of the menu."""

import dataclasses
import pathlib
from collections.abc import Sequence
from typing import Any

from attn_jax.report import claims_document, fidelity_document, stances, templating
from attn_jax.report.site import overview
from attn_jax.report.site.run import Run
from attn_jax.results import atomic, claims, facts, fidelity, findings

_MENU = (
    ("Overview", "index.html"),
    ("Compare", "compare.html"),
    ("Tables", "tables.html"),
    ("Claims", "claims.html"),
    ("Instances", "instances.html"),
    ("What if", "what-if.html"),
    ("About", "about.html"),
)
_DOCUMENTATION = ("Documentation", "docs/index.html")


@dataclasses.dataclass(frozen=True)
class Frame:
    """What all pages of a site have around their content."""

    site: pathlib.Path
    runs: int
    documented: bool

    def write(self, path: str, template: str, *, title: str, **values: Any) -> None:
        """One page; `path` is where it lies in the site."""
        menu = [*_MENU, _DOCUMENTATION] if self.documented else list(_MENU)
        current = "Documentation" if path.startswith("docs/") else title
        page = templating.render(
            template,
            **{"heading": "", "scripts": []} | values,
            title=title,
            menu=menu,
            current=current,
            root="../" * path.count("/"),
            runs_counted=f"{self.runs} run{'s' * (self.runs != 1)}",
        )
        atomic.write_text(self.site / path, page)


def write(frame: Frame, runs: Sequence[Run]) -> None:
    """All pages but those of single runs and of the documentation."""
    found = [record for run in runs for record in run.records]
    _overview(frame, runs)
    frame.write("compare.html", "site/compare.html", title="Compare", scripts=["charts", "grids", "compare"])
    cells = fidelity_document.document(fidelity.cells(found))
    _grids(frame, "tables.html", "Tables", cells, absent=True)
    _grids(frame, "claims.html", "Claims", claims_document.document(claims.judged(found)))
    seen = ["picker", "heatmap", "alignment", "instances"]
    frame.write("instances.html", "site/instances.html", title="Instances", scripts=seen)
    frame.write("what-if.html", "site/whatif.html", title="What if", scripts=["picker", "heatmap", "whatif"])
    frame.write("about.html", "site/about.html", title="About", heading="How each number is made")


def _overview(frame: Frame, runs: Sequence[Run]) -> None:
    frame.write(
        "index.html",
        "site/overview.html",
        title="Overview",
        heading="Is attention an explanation?",
        made=overview.overview(runs),
        asks=overview.ASKS,
        words=stances.WORDS,
        marks=stances.MARKS,
        notes=[facts.INTERVALS, findings.THRESHOLDS],
    )


def _grids(frame: Frame, path: str, title: str, document: Any, *, absent: bool = False) -> None:
    frame.write(
        path,
        "site/grids.html",
        title=title,
        heading=document.title,
        document=document,
        absent=absent,
        scripts=["grids"],
    )
