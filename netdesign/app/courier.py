"""Many widgets, one message: what an update changes travels together.

Every message costs the kernel, the server and the browser about a millisecond each, and a page
that redraws between messages flickers. Inside ``courier.bundle()`` the widgets that are
:class:`Carried` say what of their state is new instead of sending it; it is read at the end, and
one message follows.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import anywidget

from netdesign.app.static import STATIC

_bundle: ContextVar[dict[str, tuple[Carried, set[str]]] | None] = ContextVar("bundle", default=None)


class Carried:
    """Mixed into a widget class: its state goes with the open bundle, if there is one."""

    def send_state(self, key: Any = None) -> None:
        bundle = _bundle.get()
        if bundle is None or self.comm is None:  # type: ignore[attr-defined]
            super().send_state(key)  # type: ignore[misc]
        else:
            _, names = bundle.setdefault(self.model_id, (self, set()))  # type: ignore[attr-defined]
            names.update(_names(self, key))


def _names(widget: Any, key: Any) -> set[str]:
    """Names of the state that a key of ``send_state`` stands for."""
    if key is None:
        return set(widget.keys)
    return {key} if isinstance(key, str) else set(key)


class Courier(anywidget.AnyWidget):
    """Shows nothing; is on the page of the widgets it carries for."""

    _esm = STATIC / "courier.js"

    @contextmanager
    def bundle(self) -> Iterator[None]:
        """Collect what carried widgets would send, and send it as one message."""
        if _bundle.get() is not None:
            yield
            return
        news: dict[str, tuple[Any, set[str]]] = {}
        token = _bundle.set(news)
        try:
            yield
        finally:
            _bundle.reset(token)
            if news:
                states = {key: widget.get_state(names) for key, (widget, names) in news.items()}
                self.send({"states": states})
