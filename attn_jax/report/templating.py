"""From templates to self-contained pages: everything escaped, the style sheet inside."""

import importlib.resources
from typing import Any

import jinja2
import markupsafe


def render(template: str, **values: Any) -> str:
    """The page as text; every value is escaped, and a name that the template lacks is an error."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("attn_jax.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template).render(css=_css(), **values)


def _css() -> markupsafe.Markup:
    """The style sheet, our own text: it stands in the page unescaped."""
    source = importlib.resources.files("attn_jax.report") / "templates" / "style.css"
    return markupsafe.Markup(source.read_text(encoding="utf-8"))
