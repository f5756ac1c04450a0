"""The chart widget: a frozen Vega-Lite specification once, then named data only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import anywidget
import traitlets

STATIC = Path(__file__).parent / "static"

Rows = Sequence[Mapping[str, Any]] | Mapping[str, Sequence[Any]]


@cache
def _runtime() -> bytes:
    return (STATIC / "runtime.js").read_bytes()


class ChartView(anywidget.AnyWidget):
    """A chart that is embedded once and afterwards receives only data.

    ``spec`` names its data sets (``{"data": {"name": "steps"}}``) and leaves them empty;
    ``data`` maps each name to records (``[{"gpus": 8, "step_s": 1.2}]``) or to columns
    (``{"gpus": [8], "step_s": [1.2]}``, which weigh less on the wire). ``options`` go to
    vega-embed; two keys are ours: ``config`` is laid over the colours of the page's theme, and
    ``selection`` names the parameters of the spec whose value is to be read in ``selection``.
    Parameters of the spec named ``theme_box``, ``theme_muted``, ... take the page's colours
    ``--nd-box``, ``--nd-muted``, ...: what is drawn on a canvas no stylesheet reaches.
    The element carries ``data-revision``, the revision whose data are on the screen.
    """

    _esm = STATIC / "view.js"

    spec = traitlets.Dict().tag(sync=True)
    data = traitlets.Dict().tag(sync=True)
    options = traitlets.Dict().tag(sync=True)
    label = traitlets.Unicode().tag(sync=True)
    revision = traitlets.Int(0).tag(sync=True)
    selection = traitlets.Dict().tag(sync=True)

    def __init__(self, spec: Mapping[str, Any] | None = None, **traits: Any) -> None:
        self._told: Mapping[str, Rows] = {}  # the data that the page has
        self._is_heard = False  # the page lays news over what it has
        super().__init__(spec=dict(spec or {}), **traits)
        self.on_msg(self._answer)

    def get_state(self, key: Any = None, drop_defaults: bool = False) -> dict[str, Any]:
        """The state; of ``data``, asked for by name as an update does, only what is new.

        The page lays the news over what it has. Until it has said that it does, and when the whole
        state is asked for, ``data`` is complete.
        """
        state: dict[str, Any] = super().get_state(key, drop_defaults)
        if key is None:
            self._is_heard = False
        if "data" in state:
            if self._is_heard:
                state["data"] = news(self._told, self.data)
            self._told = self.data
        return state

    def show(
        self, data: Mapping[str, Rows], *, revision: int | None = None, label: str | None = None
    ) -> None:
        """Replace the data sets named in ``data``, keep the others, in one message."""
        with self.hold_sync():
            self.data = {**self.data, **data}
            if label is not None:
                self.label = label
            self.revision = self.revision + 1 if revision is None else revision

    def _answer(self, _widget: ChartView, content: dict[str, Any], _buffers: list[bytes]) -> None:
        if content.get("type") == "runtime":
            self.send({"type": "runtime"}, [_runtime()])
        elif content.get("type") == "ready":
            if content.get("revision") != self.revision:
                self.send_state({"data", "label", "revision"})
            self._is_heard = True


def news(known: Mapping[str, Rows], data: Mapping[str, Rows]) -> dict[str, Any]:
    """The data sets that are not known yet.

    Of a set that has the columns and the length it had, only the columns that differ, as
    ``{"changed": {name: column}}``.
    """
    fresh: dict[str, Any] = {}
    for name, rows in data.items():
        before = known.get(name)
        if rows is before:
            continue
        if isinstance(rows, Mapping) and isinstance(before, Mapping) and _alike(rows, before):
            differ = {key: column for key, column in rows.items() if column != before[key]}
            fresh[name] = {"changed": differ}
        else:
            fresh[name] = rows
    return fresh


def _alike(rows: Mapping[str, Sequence[Any]], before: Mapping[str, Sequence[Any]]) -> bool:
    """Whether both have the same columns, of one length."""
    return rows.keys() == before.keys() and all(
        len(column) == len(before[key]) for key, column in rows.items()
    )
