"""The Design Studio: controls on the left, what follows from them on the right.

``Studio().widget`` is the page. One state, one guarded ``update``: a control writes
``state.inputs``, ``update`` evaluates it and hands the Evaluation to every panel. What goes wrong
is said on the page (beside the control where there is one) and the last good picture stays.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Mapping
from typing import Any

import ipywidgets as widgets

from netdesign.app.banner import Banner
from netdesign.app.choices import BEST, MANUAL, WITH_ANY_PLAN, what_follows
from netdesign.app.controls.column import ControlColumn
from netdesign.app.controls.fields import help_of
from netdesign.app.courier import Courier
from netdesign.app.explorer_panels.files import KINDS, built_file, too_many
from netdesign.app.layout import box
from netdesign.app.panels.bill import BillPanel
from netdesign.app.panels.compare import ComparePanel
from netdesign.app.panels.demand import DemandPanel
from netdesign.app.panels.explain import ExplainPanel
from netdesign.app.panels.findings import FindingsPanel
from netdesign.app.panels.goodput import GoodputPanel
from netdesign.app.panels.headline import HeadlinePanel
from netdesign.app.panels.memory import MemoryPanel
from netdesign.app.panels.network import NetworkPanel
from netdesign.app.panels.plans import PlansPanel
from netdesign.app.panels.price_file import bill_csv, checked_prices, priceable
from netdesign.app.panels.sensitivity import SensitivityPanel
from netdesign.app.panels.step_time import StepTimePanel
from netdesign.app.state import StudioState
from netdesign.app.toolbar import Toolbar
from netdesign.app.transport import PageWidget
from netdesign.catalog import PriceBook, load_catalog, read_price_file
from netdesign.charts.format import size
from netdesign.design import (
    LARGEST_FILE_BYTES,
    NOT_MEASURED,
    Design,
    design_from_query,
    design_from_yaml,
    design_to_query,
    design_to_yaml,
    read_design,
)
from netdesign.errors import DesignError
from netdesign.evaluate import Evaluation, evaluate
from netdesign.fabrics import cabled, hardware_of, spec_of

log = logging.getLogger(__name__)

Evaluate = Callable[[Design, PriceBook | None], Evaluation]
UNEXPECTED = (
    "Something went wrong inside netdesign; what you see is the last design that could be "
    "computed. Undo the last change, or go on with another."
)


class Studio:
    """The page and its wiring."""

    def __init__(
        self,
        evaluate: Evaluate = evaluate,
        page: PageWidget | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._evaluate = evaluate
        self.page = page or PageWidget(title="Design Studio · netdesign")
        self.price_book: PriceBook | None = None
        self.evaluation: Evaluation | None = None
        self.pins: dict[str, Evaluation] = {}
        self.state = StudioState(clock=clock)
        self._opened = self.state.inputs
        self._asked = ""
        self._build()
        self.state.observe(lambda _: self.update(), "inputs")
        self.page.observe(lambda _: self._open_address(), "initial_query")
        self.update()
        self._open_address()

    def _build(self) -> None:
        self.courier = Courier()
        self.banner = Banner()
        self.page.help = help_of(load_catalog().parameters.values())
        self.controls = ControlColumn(self.change, lambda error: self._say(error, pending=True))
        self.headline = HeadlinePanel(self.explain)
        self.explanation = ExplainPanel(lambda _: self.explain(""))
        self.findings = FindingsPanel(self.apply)
        self.compare = ComparePanel(lambda _: self.unpin())
        self.bill = BillPanel(
            self.upload_prices, lambda _: self.forget_prices(), lambda _: self.download_bill()
        )
        self.network = NetworkPanel(self.take_cables)
        self.panels = (
            self.headline,
            self.findings,
            StepTimePanel(self.drop_measured),
            MemoryPanel(),
            DemandPanel(),
            self.network,
            self.bill,
        )
        self.goodput = GoodputPanel(self.bill.head.layout)
        self.plans = PlansPanel(self.change)
        self.sensitivity = SensitivityPanel(lambda: self.price_book)
        self.toolbar = Toolbar(self._acts(), lambda name: self.change({"name": name}))
        step, memory, demand, network = (panel.widget for panel in self.panels[2:6])
        grid = box(
            [
                self.explanation.widget,
                self.compare.widget,
                self.findings.widget,
                step,
                memory,
                demand,
                self.plans.widget,
                self.sensitivity.widget,
                network,
                self.goodput.widget,
                self.bill.widget,
            ],
            "nd-grid",
        )
        results = box([self.headline.widget, grid], "nd-results")
        body = widgets.HBox([self.controls.widget, results])
        body.add_class("nd-body")
        frame = box([body], "nd-frame")
        brief = self.headline.brief
        parts = [self.page, self.courier, self.toolbar.widget, self.banner.widget, brief, frame]
        self.widget = box(parts, "nd-studio")

    def _acts(self) -> Mapping[str, Callable[..., None]]:
        return {
            "undo": lambda _: self._travel(self.state.undo),
            "redo": lambda _: self._travel(self.state.redo),
            "reset": lambda _: self.load(self._opened),
            "load": self.load_shipped,
            "upload-design": self.upload_design,
            "download": lambda _: self.download(),
            "pin": lambda _: self.pin("A"),
            "pin-b": lambda _: self.pin("B"),
        }

    def change(self, changes: Mapping[str, Any]) -> None:
        """Set values by path, as a control does; a wrong one is said beside its control."""
        before = self.state.inputs
        try:
            self.state.change(what_follows(before, changes, self.evaluation))
        except DesignError as error:
            self._say(error, pending=True)
        else:
            if self.state.inputs == before:
                self.update()

    def apply(self, path: str, value: Any) -> None:
        """Set one value as a finding suggests."""
        parameter = load_catalog().parameters[path]
        changes = {path: int(value) if parameter.kind == "integer" else value}
        of_plan = path.startswith("plan.") and path not in WITH_ANY_PLAN
        if of_plan and self.state.inputs.plan.mode == BEST:
            changes["plan.mode"] = MANUAL
        self.change(changes)

    def drop_measured(self) -> None:
        """Go back to the shipped constants of collectives."""
        self.change(NOT_MEASURED)

    def load(self, design: Design) -> None:
        """Replace the whole design; what stood in the controls is gone, but can be undone."""
        self._opened = design
        self.toolbar.complain("")
        self.controls.forgive(everything=True)
        if design == self.state.inputs:
            self.update()
        self.state.inputs = design

    def load_shipped(self, name: str) -> None:
        """Load a design that comes with netdesign."""
        if name:
            self._guarded(lambda: self.load(read_design(name)), self.toolbar.complain)

    def upload_design(self, name: str, content: bytes | None, size: int = 0) -> None:
        """Load a design file from a stranger: bounded, parsed, never evaluated."""

        def read() -> None:
            if content is None or len(content) > LARGEST_FILE_BYTES:
                raise DesignError(
                    name[:80],
                    f"{size:,} bytes",
                    "is too large",
                    f"a design has under {LARGEST_FILE_BYTES:,}",
                )
            design = design_from_yaml(content, name[:80])
            try:
                self._evaluate(design, self.price_book)
            except DesignError as error:
                raise error.within(name[:80]) from None
            self.load(design)

        self._guarded(read, self.toolbar.complain)

    def upload_prices(self, name: str, content: bytes | None, size: int = 0) -> None:
        """Lay a planner's own price file over the book."""

        def read() -> None:
            if content is None:
                raise DesignError(name[:80], f"{size:,} bytes", "is too large", "give at most 1 MB")
            book = read_price_file(name, content)
            remark = checked_prices(book, priceable())
            self.price_book = book
            self.bill.own_book(book.name)
            self.bill.complain(remark)
            self.update()

        self._guarded(read, self.bill.complain)

    def forget_prices(self) -> None:
        """Go back to the book alone."""
        self.price_book = None
        self.bill.own_book("")
        self.update()

    def download(self) -> None:
        """Offer the design as a YAML file."""
        design = self.state.inputs
        self.page.download(f"{_stem(design)}.yaml", design_to_yaml(design), "application/yaml")

    def download_bill(self) -> None:
        """Offer the bill as a price file: filled in, it can be uploaded again."""
        if self.evaluation is not None:
            name = f"{_stem(self.evaluation.design)}-bill.csv"
            self.page.download(name, bill_csv(self.evaluation.order.rows), "text/csv;charset=utf-8")

    def take_cables(self, kind: str) -> None:
        """Build the fabric on the screen with every cable and offer one file of it."""
        evaluation, chosen = self.evaluation, KINDS.get(kind)
        if evaluation is None or chosen is None:
            return
        if evaluation.fabric.links > chosen.most_links:
            links = int(evaluation.fabric.links)
            self.network.say(evaluation, too_many(links, chosen.label, chosen.most_links))
            return
        try:
            built = cabled(spec_of(evaluation), hardware_of(evaluation.design))
            name, content = built_file(built, chosen, _stem(evaluation.design))
        except DesignError as error:
            self.network.say(evaluation, str(error))
            return
        self.page.download(name, content, chosen.mime)
        self.network.say(evaluation, f"{name}, {size(len(content))}, is in your downloads.")

    def pin(self, which: str) -> None:
        """Keep the design on screen as A or B."""
        if self.evaluation is not None:
            self.pins[which] = self.evaluation
            self._show_pins()

    def unpin(self) -> None:
        """Forget both."""
        self.pins.clear()
        self._show_pins()

    def explain(self, key: str) -> None:
        """Open the drawer with the formulas of a headline number; the same again closes it."""
        self._asked = "" if key == self._asked else key
        self.explanation.ask(self._asked)
        self.headline.mark(self._asked)
        if self.evaluation is not None:
            self.explanation.show(self.evaluation)

    def update(self) -> None:
        """Evaluate the design and draw it; what goes wrong is said, and the last picture stays."""
        with self.courier.bundle():
            self._update()

    def _update(self) -> None:
        design = self.state.inputs
        try:
            evaluation = self._evaluate(design, self.price_book)
        except DesignError as error:
            self.state.refuse()
            self.controls.forgive()
            self._show_controls()
            self._say(error, pending=False)
        except Exception:
            log.exception("the design could not be evaluated: %r", design)
            self._show_controls()
            self.banner.say(UNEXPECTED)
        else:
            self._show(evaluation)

    def _show(self, evaluation: Evaluation) -> None:
        last = self.evaluation
        self.evaluation = evaluation
        self.banner.say("")
        self.controls.forgive()
        try:
            self._draw(evaluation)
        except Exception:
            log.exception("the evaluation could not be drawn: %r", evaluation.design)
            self.evaluation = last
            self.banner.say(UNEXPECTED)
            if last is not None:
                self._draw(last)
        self._show_controls()

    def _draw(self, evaluation: Evaluation) -> None:
        for panel in (*self.panels, self.goodput, self.plans, self.sensitivity):
            panel.show(evaluation)
        self.explanation.show(evaluation)

    def _show_controls(self) -> None:
        design = self.state.inputs
        self.controls.show(design, self.evaluation)
        self.toolbar.show(
            design.name,
            can_undo=self.state.can_undo,
            can_redo=self.state.can_redo,
            changed=design != self._opened,
            pinned=self.pins,
        )
        self.page.query = design_to_query(design)

    def _show_pins(self) -> None:
        self.compare.show(self.pins.get("A"), self.pins.get("B"))
        self._show_controls()

    def _say(self, error: DesignError, *, pending: bool) -> None:
        """Say it beside the control it is about, and in the banner."""
        parameter = load_catalog().parameters.get(error.field)
        sentence = str(error)
        if parameter is not None:
            sentence = sentence.replace(error.field, parameter.label, 1)
        self.controls.complain(error.field, sentence, pending=pending)
        self.banner.say(f"{sentence}. What you see is the last design that works.")

    def _guarded(self, act: Callable[[], None], complain: Callable[[str], None]) -> None:
        try:
            act()
        except DesignError as error:
            complain(str(error))
        except Exception:
            log.exception("a file could not be read")
            complain("This file could not be read.")

    def _travel(self, step: Callable[[], None]) -> None:
        self.toolbar.complain("")
        self.controls.forgive(everything=True)
        step()

    def _open_address(self) -> None:
        """Take the design from the address the page was opened with."""
        query = self.page.initial_query
        if not query:
            return
        try:
            design, ignored = design_from_query(query)
        except DesignError as error:
            self.toolbar.complain(f"The link was not taken: {error}")
            return
        self.load(design)
        self.state.forget()
        self._show_controls()
        if ignored:
            self.toolbar.complain("Ignored in the link: " + "; ".join(ignored))


def _stem(design: Design) -> str:
    """The name of a design as the name of a file."""
    return re.sub(r"[^a-z0-9]+", "-", design.name.lower()).strip("-")[:60] or "design"
