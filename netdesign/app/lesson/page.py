"""The page around a lesson: its title, its style, and a sentence when something goes wrong."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import ipywidgets as widgets

from netdesign.app.html import tag
from netdesign.app.live_html import LiveHtml
from netdesign.app.page_style import page_style
from netdesign.app.transport import PageWidget

logger = logging.getLogger(__name__)

FAILED = (
    "Something went wrong while computing: what you see is the last good picture. Reload the page "
    "to go on."
)


class LessonPage(widgets.VBox):
    """Shown once, at the top of a lesson."""

    def __init__(self, title: str) -> None:
        self.page = PageWidget(title=f"{title} · netdesign")
        self.alert = LiveHtml("")
        self._failing: set[Callable[..., None]] = set()
        super().__init__([self.page, page_style(), self.alert])
        self.add_class("nd-lesson")

    def guarded(self, callback: Callable[..., None]) -> Callable[..., None]:
        """A callback whose failure is told on the page and logged, instead of vanishing."""

        def guard(*arguments: Any) -> None:
            try:
                callback(*arguments)
            except Exception:
                logger.exception("a callback of the lesson failed")
                self._failing.add(callback)
            else:
                self._failing.discard(callback)
            self.alert.value = (
                tag("p", FAILED, class_="nd-alert", role="alert") if self._failing else ""
            )

        return guard
