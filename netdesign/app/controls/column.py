"""The column of controls: the three that matter on top, the rest in groups that open."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets

from netdesign.app.choices import BEST, BY_SIZE, GIVEN, WITH_ANY_PLAN, names, plan_values
from netdesign.app.controls.fields import (
    ChoiceField,
    Field,
    FlagField,
    Look,
    NumberField,
    Refuse,
    Write,
)
from netdesign.app.controls.ladder import gpu_ladder
from netdesign.app.controls.summaries import SUMMARIES, architecture_line
from netdesign.app.html import tag
from netdesign.app.live_html import LiveHtml
from netdesign.catalog import Parameter, load_catalog
from netdesign.design import Design
from netdesign.errors import DesignError

if TYPE_CHECKING:
    from netdesign.evaluate import Evaluation

MAIN = (
    "model.preset",
    "model.parameters_billion",
    "cluster.server",
    "cluster.gpus",
    "network.family",
    "network.oversubscription",
)
GROUPS = {
    "Training": (
        "training.sequence_length",
        "training.global_batch",
        "training.token_budget_trillion",
        "training.precision",
        "training.dispatch_precision",
        "training.gradient_bytes",
    ),
    "Parallel plan": (
        "plan.mode",
        "plan.tensor",
        "plan.pipeline",
        "plan.context",
        "plan.expert",
        "plan.micro_batch",
        "plan.virtual_stages",
        "plan.schedule",
        "plan.sharding",
        "plan.shard_group",
        "plan.recompute",
        "plan.sequence_parallel",
    ),
    "Network": (
        "network.switch",
        "network.transport",
        "network.core_oversubscription",
        "network.spines",
        "network.in_network_reduction",
        "network.access_length_m",
        "network.spine_length_m",
        "target.communication_share",
    ),
    "Money": (
        "economics.price_book",
        "economics.rental_usd_per_gpu_hour",
        "economics.pue",
        "economics.usd_per_kwh",
        "economics.amortisation_years",
        "economics.interest_rate",
        "economics.operations_share",
    ),
    "Failures": (
        "reliability.fleet",
        "reliability.stops_per_1000_node_days",
        "reliability.link_failures_per_year",
        "reliability.switch_failures_per_year",
        "reliability.repair_hours",
        "reliability.restart_minutes",
        "reliability.storage_write_gbytes_per_s_per_gpu",
        "reliability.checkpoint_stall_s",
        "reliability.checkpoint_interval_minutes",
        "reliability.checkpoint_network",
        "reliability.jitter_us",
    ),
}

# Set by logs of the planner's own machines, shown beside the step time.
WITHOUT_CONTROL = (
    "measured.domain_speed",
    "measured.network_speed",
    "measured.domain_start_up",
    "measured.network_start_up",
    "measured.logs",
)


class Group:
    """Controls behind a heading; built when it is first opened."""

    def __init__(self, title: str, column: ControlColumn, look: Look) -> None:
        self.title = title
        self.paths = GROUPS[title]
        self._column = column
        self.heading = widgets.ToggleButton(
            description=title, layout=look.layout, style=look.heading
        )
        self.heading.add_class("nd-group-heading")
        self.body = widgets.VBox([], layout=look.layout)
        self.body.add_class("nd-group-body")
        self.widget = widgets.VBox([self.heading, self.body], layout=look.layout)
        self.widget.add_class("nd-group")
        self.heading.observe(self._toggled, "value")

    def open(self) -> None:
        self.heading.value = True

    def show(self, design: Design) -> None:
        self.heading.description = f"{self.title}\n{SUMMARIES[self.title](design)}"

    def _toggled(self, change: Any) -> None:
        if change["new"]:
            if not self.body.children:
                self.body.children = [self._column.field(path).widget for path in self.paths]
                self._column.refresh()
            self.widget.add_class("nd-open")
        else:
            self.widget.remove_class("nd-open")


class ControlColumn:
    """All controls; they write to ``write`` and are shown a design with its plan.

    What was typed and is no value of its parameter goes to ``refuse`` instead.
    """

    def __init__(self, write: Write, refuse: Refuse | None = None) -> None:
        self._write = write
        self._refuse = refuse or self._complain_here
        self._look = Look()
        self._fields: dict[str, Field] = {}
        self._last: tuple[Design, Evaluation | None] | None = None
        self.groups = {title: Group(title, self, self._look) for title in GROUPS}
        self.architecture = LiveHtml(layout=self._look.layout)
        self.architecture.add_class("nd-architecture")
        size = self.field("model.parameters_billion").widget
        size.children = (*size.children, self.architecture)
        main = widgets.VBox([self.field(path).widget for path in MAIN], layout=self._look.layout)
        main.add_class("nd-main-controls")
        self.widget = widgets.VBox(
            [main, *(group.widget for group in self.groups.values())], layout=self._look.layout
        )
        self.widget.add_class("nd-controls")

    def field(self, path: str) -> Field:
        """The control of a parameter, made when first asked for."""
        if path not in self._fields:
            self._fields[path] = self._made(load_catalog().parameters[path])
        return self._fields[path]

    def show(self, design: Design, evaluation: Evaluation | None) -> None:
        """Display a design; ``evaluation`` tells plan and preset size."""
        self._last = (design, evaluation)
        gpus = self.field("cluster.gpus")
        parameter = gpus.parameter
        server = load_catalog().servers[design.cluster.server]
        if isinstance(gpus, NumberField):
            gpus.set_stops(gpu_ladder(server.gpus, parameter.highest or server.gpus))
        found = self._found(design, evaluation)
        for path, field in self._fields.items():
            field.show(found.get(path, design.value(path)), enabled=self._enabled(path, design))
        for group in self.groups.values():
            group.show(design)
        if evaluation is not None and evaluation.design.model == design.model:
            line = architecture_line(evaluation.architecture)
            self.architecture.value = tag("p", line, class_="nd-quiet")

    def refresh(self) -> None:
        """Show the last design again, to controls made since."""
        if self._last is not None:
            self.show(*self._last)

    def complain(self, path: str, sentence: str, *, pending: bool) -> bool:
        """Say it beside the control of this parameter; False if there is none."""
        if path not in load_catalog().parameters or path in WITHOUT_CONTROL:
            return False
        for group in self.groups.values():
            if path in group.paths:
                group.open()
        field = self.field(path)
        field.pending = field.pending or pending
        field.complain(sentence)
        return True

    def forgive(self, *, everything: bool = False) -> None:
        """Take complaints back; one about what was typed stays, unless everything goes."""
        for field in self._fields.values():
            if everything or not field.pending:
                field.forgive()

    def fields(self) -> Iterator[Field]:
        """The controls made so far."""
        yield from self._fields.values()

    def _made(self, parameter: Parameter) -> Field:
        if parameter.kind == "choice":
            return ChoiceField(parameter, self._write, self._look, names(parameter.path))
        if parameter.kind == "flag":
            return FlagField(parameter, self._write, self._look)
        return NumberField(parameter, self._write, self._look, self._refuse)

    def _complain_here(self, error: DesignError) -> None:
        self.complain(error.field, str(error), pending=True)

    @staticmethod
    def _found(design: Design, evaluation: Evaluation | None) -> dict[str, Any]:
        """Values that the controls show although the design does not set them."""
        if evaluation is None or evaluation.design != design:
            return {}
        found: dict[str, Any] = {}
        if design.model.preset != BY_SIZE:
            found["model.parameters_billion"] = float(f"{evaluation.parameters / 1e9:.4g}")
        if design.plan.mode == BEST:
            found.update(plan_values(evaluation))
        return found

    @staticmethod
    def _enabled(path: str, design: Design) -> bool:
        if path == "reliability.stops_per_1000_node_days":
            return design.reliability.fleet == GIVEN
        if not path.startswith("plan.") or path in WITH_ANY_PLAN:
            return True
        if path == "plan.shard_group":
            return design.plan.mode != BEST and design.plan.sharding == "hsdp"
        return design.plan.mode != BEST
