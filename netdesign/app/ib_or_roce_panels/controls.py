"""The controls of the page: the job, both fabrics, the price, and what the pictures point at."""

from __future__ import annotations

from netdesign.app.controls.fields import Refuse, Write
from netdesign.app.controls.page import PageControls
from netdesign.app.ib_or_roce_panels.request import BOOK, Request, names, settings
from netdesign.app.layout import box
from netdesign.catalog import load_catalog

GROUPS = (
    ("The job", ("design", "gpus")),
    ("Both fabrics", ("first", "second", "balance", "queue_pairs", "mtu")),
    ("The price", ("basis", "discount")),
    ("In the pictures", ("message", "exposed")),
)


class Controls(PageControls):
    """All controls in one column."""

    def __init__(self, write: Write, refuse: Refuse) -> None:
        super().__init__(settings(), names, write, refuse)
        self.widget = box([self._group(title, paths) for title, paths in GROUPS], "nd-controls")

    def show(self, request: Request) -> None:
        """Display a request; a discount counts only where the price book does not."""
        self._offer_gpus(load_catalog().servers[request.base.cluster.server].gpus)
        by_discount = request.value("basis") != BOOK
        for path, field in self._fields.items():
            field.show(request.value(path), enabled=path != "discount" or by_discount)
