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
        super().__init__(spec=dict(spec or {}), **traits)
        self.on_msg(self._answer)

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
