"""Where the inputs of a number come from: source, date, and how sure the row is.

Every function names rows of the catalogue that the evaluation used; nothing is computed here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from netdesign.app.html import Markup, join, tag
from netdesign.catalog import load_catalog
from netdesign.charts.format import digits, seconds, size, unit_price
from netdesign.charts.own_words import own_measurements
from netdesign.performance.calibration import BAND_NAMES

if TYPE_CHECKING:
    from netdesign.catalog import CalibrationRow
    from netdesign.evaluate import Evaluation

PRODUCTS = ("matrix_efficiency", "attention_efficiency", "memory_efficiency")
HOST = ("layer_launch_s", "layer_idle_s", "step_overhead_s")
COLLECTIVES = ("domain_efficiency", "network_efficiency", "network_start_up_s")
HIDDEN = ("tensor_hidden_share", "gradient_hidden_share", "overlap_slowdown")
BAND = BAND_NAMES
MEMORY = ("workspace_bytes", "usable_memory_share")
MOST_PRICES = 6
BEFORE = re.compile(r"; \S+ before\b")
SAID: Mapping[str, Callable[[Any], Any]] = MappingProxyType({"s": seconds, "bytes": size})


class Origin(NamedTuple):
    """An input: what it is, its value, and the row that it comes from."""

    what: str
    value: str
    source: str  # key in data/references.bib; empty: the planner's own
    date: str = ""
    note: str = ""  # fitted, or how sure the row is


def reference(key: str) -> Markup:
    """A source as a citation, with a link where it has an address."""
    found = load_catalog().references.get(key)
    if found is None:
        return tag("span", key)
    names = f"{found.author}, " if found.author else ""
    text = f"{names}{found.title}, {found.year}"
    if not found.url.startswith(("https://", "http://")):
        return tag("span", text)
    return tag("a", text, href=found.url, target="_blank", rel="noopener noreferrer")


def table_of(origins: Sequence[Origin]) -> Markup:
    """The inputs of a number by source; what the planner chose says so."""
    groups: dict[str, list[Origin]] = {}
    for origin in origins:
        groups.setdefault(origin.source, []).append(origin)
    return tag("ul", join(_group(key, group) for key, group in groups.items()), class_="nd-origins")


def _group(key: str, group: Sequence[Origin]) -> Markup:
    source = reference(key) if key else "Your design"
    return tag(
        "li", tag("span", source, class_="nd-quiet"), tag("ul", join(_line(one) for one in group))
    )


def _line(origin: Origin) -> Markup:
    more = "; ".join(part for part in (origin.date, origin.note) if part)
    value = f" = {origin.value}" if origin.value else ""
    said = tag("span", f" ({more})", class_="nd-quiet") if more else ""
    return tag("li", tag("strong", f"{origin.what}{value}"), said)


def constants(evaluation: Evaluation, *names: str) -> tuple[Origin, ...]:
    """Rows of data/calibration.csv of the generation of the design's GPU."""
    generation = evaluation.machine.generation
    rows = load_catalog().calibrations
    other = BAND_NAMES[:2] if evaluation.architecture.experts else BAND_NAMES[2:]
    found = (rows.get((name, generation)) for name in names if name not in other)
    return tuple(_constant(row) for row in found if row is not None)


def own(evaluation: Evaluation) -> tuple[Origin, ...]:
    """What logs of the planner's own machines changed in the collectives; nothing without logs."""
    said = own_measurements(evaluation.design)
    return (Origin("Collectives", said, ""),) if said else ()


def _constant(row: CalibrationRow) -> Origin:
    name = row.name.removesuffix("_s").removesuffix("_bytes").replace("_", " ")
    say = SAID.get(row.unit, digits)
    note = BEFORE.sub("", row.note)  # in the unit of the file, and not what is in force
    return Origin(f"{name}, {row.scope}", str(say(row.value)), row.source, row.date, note)


def card(evaluation: Evaluation) -> tuple[Origin, ...]:
    """The data sheets of the GPU and of the server."""
    catalog = load_catalog()
    server = catalog.servers[evaluation.design.cluster.server]
    gpu = catalog.accelerator_of(server)
    return (
        Origin(f"GPU {gpu.name}", "", gpu.source, gpu.date, "data sheet"),
        Origin(f"Server {server.name}", "", server.source, server.date, "data sheet"),
    )


def wires(evaluation: Evaluation) -> tuple[Origin, ...]:
    """The rows of the transport and of the switch."""
    catalog, network = load_catalog(), evaluation.design.network
    transport = catalog.transports[network.transport]
    switch = catalog.switches[network.switch]
    return (
        Origin(
            f"Transport {transport.name}", "", transport.source, transport.date, transport.grade
        ),
        Origin(f"Switch {switch.name}", "", switch.source, switch.date, "data sheet"),
    )


def model(evaluation: Evaluation) -> tuple[Origin, ...]:
    """The published shape of the model, or that it was made for a size."""
    row = load_catalog().models.get(evaluation.design.model.preset)
    if row is None:
        size = evaluation.design.model.parameters_billion
        return (Origin("Model shape", f"for {size:g} billion parameters", ""),)
    return (Origin(f"Shape of {row.name}", "", row.source, row.date, "published"),)


def prices(evaluation: Evaluation) -> tuple[Origin, ...]:
    """The prices of the parts that cost most, of the book that the design names."""
    bom = evaluation.bom
    bought = [row for row in bom.rows if row.unit_price_usd and row.total_usd]
    bought.sort(key=lambda row: -(row.total_usd or 0.0))
    dearest = {row.part_id: row for row in reversed(bought)}
    parts = [row for row in bought if dearest[row.part_id] is row]
    book = f"book {bom.price_book}"
    lines = [
        Origin(
            f"Price of {row.name}",
            unit_price(row.unit_price_usd),
            row.price_source,
            row.price_date,
            book,
        )
        for row in parts[:MOST_PRICES]
    ]
    if bom.unpriced:
        lines.append(Origin("Without a price", ", ".join(bom.unpriced[:MOST_PRICES]), ""))
    return tuple(lines)


def settings(evaluation: Evaluation, *paths: str) -> tuple[Origin, ...]:
    """What the planner set, and where the value to start from comes from."""
    found = []
    for path in paths:
        parameter = load_catalog().parameters[path]
        value = evaluation.design.value(path)
        unit = f"\u00a0{parameter.unit}" if parameter.unit else ""
        said = f"{value:,.6g}{unit}" if isinstance(value, int | float) else str(value)
        own = str(value) != parameter.default and value != _number(parameter.default)
        source = "" if own else parameter.source
        found.append(Origin(parameter.label, said, source, "", "" if own else "default"))
    return tuple(found)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
