"""The documentation in the site: guides from Markdown, the reference from docstrings."""

import dataclasses
import pathlib
import shutil

import attn_jax
from attn_jax.report.site import markdown, reference
from attn_jax.report.site.markdown import Article
from attn_jax.report.site.pages import Frame

# The order of a first reading; what is not named here follows by name.
_FIRST = (
    "quickstart",
    "concepts",
    "architecture",
    "site",
    "your_data",
    "your_attention",
    "your_model",
    "your_analysis",
    "your_regulariser",
)
_ROOMS = (
    ("models", "The seam, encoders, attentions, one file a family"),
    ("analyses", "One file a question asked of attention"),
    ("certify", "Exact answers"),
    ("training", "Losses, regularisers, the loop"),
    ("data", "Corpora, simulators, vocabulary, batches"),
    ("results", "Records on disk, aggregation, claims"),
    ("report", "Tables, figures, the site"),
    ("types", "What flows between the rooms"),
)
_GROUPS = {"": "Guides", "analyses": "Analyses"}


@dataclasses.dataclass(frozen=True)
class Page:
    """One page of the documentation: where it lies below `docs/`, without ending."""

    path: str
    title: str
    summary: str
    group: str


def write(frame: Frame, docs: pathlib.Path) -> None:
    """Every page below `docs/` of the site."""
    names = _names(docs)
    articles = {
        name: markdown.article((docs / f"{name}.md").read_text(encoding="utf-8"), names) for name in names
    }
    guides = [Page(name, made.title, made.summary, _group(name)) for name, made in articles.items()]
    rooms = [Page(f"api/{name}", f"attn_jax.{name}", told, "Reference") for name, told in _ROOMS]
    everything = [*guides, *rooms]
    _page(frame, Page("index", "Documentation", "", ""), everything, "site/contents.html")
    for page in guides:
        made = articles[page.path]
        _page(frame, page, everything, "site/article.html", article=made)
        _images(docs, frame.site / "docs", page.path, made)
    for page in rooms:
        modules = _modules(page.path.removeprefix("api/"))
        _page(frame, page, everything, "site/reference.html", modules=modules, inline=markdown.inline)


def _names(docs: pathlib.Path) -> list[str]:
    """The guides of the folder and of its `analyses`, without ending, in the order of reading."""
    paths = [*docs.glob("*.md"), *docs.glob("analyses/*.md")]
    names = sorted(path.relative_to(docs).with_suffix("").as_posix() for path in paths)
    return sorted(
        names, key=lambda name: (_FIRST.index(name) if name in _FIRST else len(_FIRST), "/" in name, name)
    )


def _group(name: str) -> str:
    return _GROUPS.get(name.rpartition("/")[0], "Guides")


def _modules(room: str) -> list[reference.Module]:
    package = pathlib.Path(attn_jax.__file__).parent
    path = package / room if (package / room).is_dir() else package / f"{room}.py"
    return reference.modules(path, f"attn_jax.{room}")


def _page(frame: Frame, page: Page, everything: list[Page], template: str, **values: object) -> None:
    groups = {
        group: [p for p in everything if p.group == group] for group in ("Guides", "Analyses", "Reference")
    }
    frame.write(
        f"docs/{page.path}.html",
        template,
        title=page.title,
        page=page,
        groups={name: pages for name, pages in groups.items() if pages},
        above="../" * page.path.count("/"),
        **values,
    )


def _images(docs: pathlib.Path, site: pathlib.Path, name: str, made: Article) -> None:
    """The pictures of a guide, at the place where it looks for them."""
    for image in made.images:
        source = ((docs / name).parent / image).resolve()
        if source.is_file() and source.is_relative_to(docs.resolve()):
            target = site / source.relative_to(docs.resolve())
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
