"""The controls of the page: what one drags first on top, the rest in groups below."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from netdesign.app.congestion_panels.request import Request, names, settings
from netdesign.app.controls.fields import ChoiceField, Refuse, Write
from netdesign.app.controls.page import PageControls
from netdesign.app.layout import box
from netdesign.catalog import load_catalog

GROUPS = (
    ("Drag these", ("taper", "members", "queue_pairs", "routing", "broken")),
    ("Job and fabric", ("design", "gpus", "family", "core_taper", "shown")),
    ("Ranks on servers", ("tensor", "pipeline", "placement", "rank_order", "seed")),
    ("Headroom", ("chip", "cable_length", "lossless_mtu", "small_share")),
    ("Failures", ("fleet", "checkpoint_stall", "restart")),
)


class BrokenField(ChoiceField):
    """Parts by kind, and the device that was clicked in the picture."""

    def _display(self, value: Any) -> None:
        known = [(name, word) for word, name in self._names.items()]
        if value not in self._names:
            known.append((f"{value}", value))
        if tuple(self.list.options) != tuple(known):
            self.list.options = known
        self.list.value = value


class Controls(PageControls):
    """All controls in one column."""

    choice_fields = MappingProxyType({"broken": BrokenField})

    def __init__(self, write: Write, refuse: Refuse) -> None:
        super().__init__(settings(), names, write, refuse)
        self.widget = box([self._group(title, paths) for title, paths in GROUPS], "nd-controls")

    def show(
        self,
        request: Request,
        *,
        hashed: bool,
        tapers: bool,
        three_tiers: bool,
        several_pods: bool,
    ) -> None:
        """Display a request; what the fabric or its routing does not heed is greyed."""
        self._offer_gpus(load_catalog().servers[request.base.cluster.server].gpus)
        for path, field in self._fields.items():
            heeded = {
                "queue_pairs": hashed,
                "taper": tapers,
                "core_taper": three_tiers,
                "members": several_pods,
            }.get(path, True)
            field.show(request.value(path), enabled=heeded)
