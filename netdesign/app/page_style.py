"""The stylesheet of the summary and the lessons, as a piece of the page, in JupyterLab too."""

from __future__ import annotations

from pathlib import Path

from netdesign.app.html import Markup, tag
from netdesign.app.live_html import LiveHtml

STYLESHEET = Path(__file__).parent / "serving" / "static" / "pages.css"


def page_style() -> LiveHtml:
    """A widget that shows nothing and styles the rest."""
    return LiveHtml(tag("style", Markup(STYLESHEET.read_text(encoding="utf-8"))))
