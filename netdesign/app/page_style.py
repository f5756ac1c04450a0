"""A stylesheet of one kind of page, as a piece of the page, in JupyterLab too."""

from __future__ import annotations

from pathlib import Path

from netdesign.app.html import Markup, tag
from netdesign.app.live_html import LiveHtml

STYLESHEETS = Path(__file__).parent / "serving" / "static"
STYLESHEET = STYLESHEETS / "pages.css"


def page_style(stylesheet: Path = STYLESHEET) -> LiveHtml:
    """A widget that shows nothing and styles the rest."""
    return LiveHtml(tag("style", Markup(stylesheet.read_text(encoding="utf-8"))))
