"""HTML that the kernel writes and the page patches in place, with buttons that speak back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import anywidget
import traitlets

from netdesign.app.courier import Carried
from netdesign.app.static import STATIC

Act = Callable[..., None]


class LiveHtml(Carried, anywidget.AnyWidget):
    """A piece of the page.

    ``value`` is trusted HTML: whoever writes it escapes names that people typed. ``acts`` maps the
    names in ``data-act`` to functions of the element's value, and the names in ``data-upload`` to
    functions of file name, content and size (content None: larger than the element's limit).
    """

    _esm = STATIC / "live_html.js"

    value = traitlets.Unicode().tag(sync=True)

    def __init__(self, value: str = "", acts: Mapping[str, Act] | None = None, **traits: Any):
        super().__init__(value=value, **traits)
        self._acts = dict(acts or {})
        if self._acts:
            self.on_msg(self._answer)

    def act(self, name: str, *arguments: Any) -> None:
        """Do what a click on the element with this ``data-act`` does."""
        self._acts[name](*arguments)

    def _answer(self, _widget: LiveHtml, content: dict[str, Any], buffers: list[Any]) -> None:
        name, value = content.get("act"), content.get("value")
        if name not in self._acts or not isinstance(value, str):
            return
        if "size" in content:
            self.act(name, value, bytes(buffers[0]) if buffers else None, content["size"])
        else:
            self.act(name, value)
