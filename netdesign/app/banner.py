"""One line above the results when the design on the controls could not be computed."""

from __future__ import annotations

from netdesign.app.html import tag
from netdesign.app.live_html import LiveHtml


class Banner:
    """Empty, or an alert."""

    def __init__(self) -> None:
        self.widget = LiveHtml()
        self.widget.add_class("nd-studio-banner")

    def say(self, sentence: str) -> None:
        """Show a sentence; empty shows nothing."""
        self.widget.value = tag("p", sentence, class_="nd-banner", role="alert") if sentence else ""
