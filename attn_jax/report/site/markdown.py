"""Markdown of our own as HTML: headings get names, links to other guides stay in the site."""

import dataclasses
import pathlib
import re
from collections.abc import Collection

import markupsafe
from markdown_it import MarkdownIt
from markdown_it.token import Token


@dataclasses.dataclass(frozen=True)
class Article:
    """A rendered guide; `images` are the files that it shows, as it names them."""

    title: str
    summary: str
    html: markupsafe.Markup
    images: tuple[str, ...]


def article(text: str, guides: Collection[str]) -> Article:
    """One file; links to Markdown files not among the `guides`, and to code, become plain text."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(text)
    images = []
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        if token.type == "heading_open" and after is not None:
            token.attrSet("id", anchor(after.content))
        token.children = _within(token.children, guides) if token.children else token.children
        images += [str(one.attrs["src"]) for one in token.children or [] if one.type == "image"]
    inline = [token for token in tokens if token.type == "inline"]
    prose = next(
        (t.content for i, t in enumerate(tokens) if i and tokens[i - 1].type == "paragraph_open"), ""
    )
    html = parser.renderer.render(tokens, parser.options, {})
    html = html.replace(
        "<table>", '<div class="scroll" tabindex="0" role="region" aria-label="Table"><table>'
    )
    html = html.replace("</table>", "</table></div>").replace("<pre>", '<pre tabindex="0">')
    title = inline[0].content if inline else ""
    return Article(_plain(title), _plain(prose.split(". ")[0]), markupsafe.Markup(html), tuple(images))


def inline(text: str) -> markupsafe.Markup:
    """A paragraph of a docstring: code in backticks, all else as text."""
    return markupsafe.Markup(MarkdownIt("zero").enable("backticks").renderInline(text))


def anchor(heading: str) -> str:
    """The name of a heading, as GitHub would make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def _within(children: list[Token], guides: Collection[str]) -> list[Token]:
    """Links to guides lead to their pages; what the site does not hold is no link."""
    kept, dropped = [], 0
    for child in children:
        if child.type == "link_open" and not _leads(child, guides):
            dropped += 1
        elif child.type == "link_close" and dropped:
            dropped -= 1
        else:
            kept.append(child)
    return kept


def _leads(link: Token, guides: Collection[str]) -> bool:
    address, mark, place = str(link.attrs["href"]).partition("#")
    path = pathlib.PurePosixPath(address)
    if address.startswith(("https://", "http://")) or not address:
        return True
    if path.suffix == ".md" and str(path.with_suffix("")) in guides:
        link.attrSet("href", f"{path.with_suffix('.html')}{mark}{place}")
        return True
    return False


def _plain(text: str) -> str:
    """Without the signs of Markdown."""
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text).replace("`", "").replace("*", "").replace("\n", " ")
