"""From templates to self-contained pages: everything escaped, the style sheet inside."""

import functools
import importlib.resources
from typing import Any

import jinja2
import markupsafe

from attn_jax.report import grid


def render(template: str, **values: Any) -> str:
    """The page as text; every value is escaped, and a name that the template lacks is an error."""
    return _environment().get_template(template).render(css=_css(), **values)


@functools.cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("attn_jax.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"zip": zip, "tone": grid.tone}
    return environment


@functools.cache
def _css() -> markupsafe.Markup:
    """The style sheet, our own text: it stands in the page unescaped."""
    source = importlib.resources.files("attn_jax.report") / "templates" / "style.css"
    return markupsafe.Markup(source.read_text(encoding="utf-8"))
