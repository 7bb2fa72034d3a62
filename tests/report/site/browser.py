"""A real Chromium without a network, that remembers what went wrong on a page."""

import contextlib
import pathlib
from collections.abc import Iterator

import pytest

from attn_jax.errors import UserError
from experiments import screenshots

MILLISECONDS = 30_000  # until a page that hangs fails its test
DESKTOP, PHONE = (1280, 900), (390, 844)


@contextlib.contextmanager
def chromium() -> Iterator:
    """A browser that is closed whatever happens; the test is skipped where there is none."""
    driver = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    try:
        path = screenshots.chromium()
    except UserError as error:
        pytest.skip(str(error))
    with driver.sync_playwright() as started:
        # Without the sandbox: tests may run as root in a container, on pages of their own making.
        browser = started.chromium.launch(executable_path=path, args=["--no-sandbox"], timeout=MILLISECONDS)
        try:
            yield browser
        finally:
            browser.close()


class Tab:
    """A page from disk; `faults` are what its console and its requests say against it."""

    def __init__(self, browser, size: tuple[int, int] = DESKTOP, scheme: str = "light") -> None:
        self.context = browser.new_context(
            viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, accept_downloads=True
        )
        self.context.set_offline(True)
        self.page = self.context.new_page()
        self.page.set_default_timeout(MILLISECONDS)
        self.faults: list[str] = []
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("request", self._asked)

    def _heard(self, message) -> None:
        if message.type in ("error", "warning"):
            self.faults.append(message.text)

    def _asked(self, request) -> None:
        if not request.url.startswith(("file:", "data:", "blob:")):
            self.faults.append(f"asks the network for {request.url}")

    def open(self, path: pathlib.Path, ready: str = "main", fragment: str = ""):
        """The page, once `ready` is there."""
        self.page.goto(path.as_uri() + fragment)
        self.page.wait_for_selector(ready)
        return self.page


@contextlib.contextmanager
def tab(browser, **options) -> Iterator[Tab]:
    """A tab of its own, closed in the end; what went wrong on it fails the test."""
    opened = Tab(browser, **options)
    try:
        yield opened
        assert opened.faults == []
    finally:
        opened.context.close()
