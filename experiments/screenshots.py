"""Takes the pictures of a site that stand in the README and the documentation.

    python -m experiments.report runs/quickstart --out site
    python -m experiments.screenshots site --only overview,instances,what-if,documentation
    python -m experiments.report docs/reproduction --out site-of-records
    python -m experiments.screenshots site-of-records --only compare,tables,claims

Seconds each. Needs the packages of requirements-tests.txt and a Chromium (Debian: apt-get install chromium).
"""

import pathlib
import shutil
from collections.abc import Callable
from typing import Annotated, Any

import tyro

from attn_jax.errors import UserError
from experiments import command

DESKTOP, PHONE = (1280, 800), (390, 844)
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
SECONDS = 30  # for a page to be ready
_PAGES = {
    "overview": ("index.html", "main"),
    "compare": ("compare.html", "#chart svg"),
    "tables": ("tables.html", ".grid .save"),
    "claims": ("claims.html", ".grid .save"),
    "instances": ("instances.html", "#detail .word"),
    "what-if": ("what-if.html", ".slider"),
    "documentation": ("docs/concepts.html", "main img"),
}


def main(
    site: Annotated[pathlib.Path, tyro.conf.Positional],
    out: pathlib.Path = pathlib.Path("docs/images"),
    only: str = "",
) -> None:
    """Photograph each page of a site, on a desktop and on a phone.

    Args:
        site: folder that experiments.report made.
        out: folder for NAME.png and NAME-phone.png.
        only: these pages, with commas, instead of all.
    """
    names = only.split(",") if only else list(_PAGES)
    unknown = [name for name in names if name not in _PAGES]
    if unknown:
        raise UserError(f"there is no page called {unknown[0]!r}; choose one of {', '.join(_PAGES)}.")
    if not (site / "index.html").is_file():
        raise UserError(f"{site} is not a site; make one with python -m experiments.report.")
    from playwright.sync_api import sync_playwright

    out.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), timeout=SECONDS * 1000)
        try:
            for name in names:
                _both(browser, site.resolve(), name, out)
        finally:
            browser.close()


def chromium() -> str:
    """The installed browser.

    Raises:
        UserError: there is none.
    """
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        raise UserError(f"none of {', '.join(BROWSERS)} is installed; on Debian: apt-get install chromium.")
    return found


def _both(browser: Any, site: pathlib.Path, name: str, out: pathlib.Path) -> None:
    for suffix, (width, height) in {"": DESKTOP, "-phone": PHONE}.items():
        page = browser.new_page(viewport={"width": width, "height": height}, color_scheme="light")
        try:
            _photograph(page, site, name, out / f"{name}{suffix}.png")
        finally:
            page.close()


def _photograph(page: Any, site: pathlib.Path, name: str, path: pathlib.Path) -> None:
    file, ready = _PAGES[name]
    page.goto((site / file).as_uri(), timeout=SECONDS * 1000)
    page.wait_for_selector(ready, timeout=SECONDS * 1000)
    _PREPARED.get(name, lambda _: None)(page)
    page.screenshot(path=path, timeout=SECONDS * 1000)
    print(f"Written: {path}")


def _adversarial(page: Any) -> None:
    """An attention that differs and yet says the same: the point of the page."""
    page.click("#adversarial")


def _agreement(page: Any) -> None:
    """A statistic that the papers print, so that theirs stands beside ours."""
    page.select_option("#metric", label="Kendall's τ, attention and gradient (Jain & Wallace (2019))")
    page.wait_for_function("document.querySelectorAll('#chart .drawing svg').length === 1")
    page.wait_for_timeout(500)  # for the new drawing to replace the old one


_PREPARED: dict[str, Callable[[Any], None]] = {"what-if": _adversarial, "compare": _agreement}


if __name__ == "__main__":
    command.run(main, prog="experiments.screenshots")
