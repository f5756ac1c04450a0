"""Many widgets, one message: what an update changes travels together.

Every message costs the kernel, the server and the browser about a millisecond each, and a page
that redraws between messages flickers. Inside ``courier.bundle()`` the widgets that are
:class:`Carried` hand over their new state instead of sending it; one message follows at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import anywidget

from netdesign.app.static import STATIC

_bundle: ContextVar[dict[str, dict[str, Any]] | None] = ContextVar("bundle", default=None)


class Carried:
    """Mixed into a widget class: its state goes with the open bundle, if there is one."""

    def send_state(self, key: Any = None) -> None:
        bundle = _bundle.get()
        if bundle is None or self.comm is None:  # type: ignore[attr-defined]
            super().send_state(key)  # type: ignore[misc]
        else:
            state = self.get_state(key=key)  # type: ignore[attr-defined]
            bundle.setdefault(self.model_id, {}).update(state)  # type: ignore[attr-defined]


class Courier(anywidget.AnyWidget):
    """Shows nothing; is on the page of the widgets it carries for."""

    _esm = STATIC / "courier.js"

    @contextmanager
    def bundle(self) -> Iterator[None]:
        """Collect what carried widgets would send, and send it as one message."""
        if _bundle.get() is not None:
            yield
            return
        states: dict[str, dict[str, Any]] = {}
        token = _bundle.set(states)
        try:
            yield
        finally:
            _bundle.reset(token)
            if states:
                self.send({"states": states})
