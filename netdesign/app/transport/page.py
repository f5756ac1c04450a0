"""The page widget: title, permalink, heartbeat, names of controls, downloads."""

from __future__ import annotations

import os
from typing import Any

import anywidget
import traitlets

from netdesign.app.courier import Carried
from netdesign.app.transport.chart_view import STATIC

STYLESHEET = STATIC.parents[1] / "serving" / "static" / "netdesign.css"


class PageWidget(Carried, anywidget.AnyWidget):
    """Shown once on a page, and shows nothing itself unless the kernel is gone.

    ``initial_query`` is the query string that the page was opened with (without ``?``): known when
    the notebook starts under Voila, empty in JupyterLab. ``query`` is written to the address bar,
    which makes it a permalink.
    """

    _esm = STATIC / "page.js"

    title = traitlets.Unicode().tag(sync=True)
    query = traitlets.Unicode().tag(sync=True)
    initial_query = traitlets.Unicode().tag(sync=True)
    help = traitlets.Dict().tag(sync=True)  # class of a control -> what it means, shown on hover

    def __init__(self, **traits: Any) -> None:
        traits.setdefault("initial_query", os.environ.get("QUERY_STRING", ""))
        super().__init__(**traits)
        self.on_msg(self._answer)

    def download(
        self, filename: str, content: str | bytes, mime: str = "text/plain;charset=utf-8"
    ) -> None:
        """Let the browser save ``content`` as ``filename``."""
        message = {"type": "download", "filename": filename, "mime": mime}
        if isinstance(content, bytes):
            self.send(message, [content])
        else:
            self.send({**message, "text": content})

    def _answer(self, _widget: PageWidget, content: dict[str, Any], _buffers: list[bytes]) -> None:
        if content.get("type") == "ping":
            self.send({"type": "pong", "n": content.get("n", 0)})
        elif content.get("type") == "stylesheet":
            self.send({"type": "stylesheet", "text": STYLESHEET.read_text(encoding="utf-8")})
