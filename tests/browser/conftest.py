"""Real servers and a real Chromium."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from chromium import FLAGS, MISSING, chromium_path
from playwright.sync_api import Browser, Page, Request, sync_playwright
from served import FIXTURES, Served

from netdesign.app.serving.pages import notebooks_folder


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One browser a module: Playwright keeps an event loop running as long as it lives."""
    path = chromium_path()
    if path is None:
        if os.environ.get("CI"):
            pytest.fail(MISSING)
        pytest.skip(MISSING)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def voila_server() -> Iterator[Served]:
    """The workbook's own pages."""
    server = Served(notebooks_folder())
    yield server
    server.stop()


@pytest.fixture(scope="session")
def transport_server() -> Iterator[Served]:
    """Small pages that show one thing each."""
    server = Served(FIXTURES)
    yield server
    server.stop()


@dataclass
class Watch:
    """What a page must not do: complain, or ask another host."""

    errors: list[str] = field(default_factory=list)
    external: list[str] = field(default_factory=list)

    def on(self, page: Page) -> None:
        page.on("console", lambda m: self.errors.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", self._request)

    def _request(self, request: Request) -> None:
        local = ("http://localhost:", "ws://localhost:", "data:", "blob:")
        if not request.url.startswith(local):
            self.external.append(request.url)


@pytest.fixture
def watch() -> Watch:
    """Filled while the page is open; a test that provokes errors clears them."""
    return Watch()


@pytest.fixture
def page(chromium: Browser, watch: Watch) -> Iterator[Page]:
    """A fresh page; at the end nothing was complained of and no other host was asked."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, accept_downloads=True)
    page = context.new_page()
    watch.on(page)
    yield page
    context.close()
    assert watch.errors == []
    assert watch.external == []
