"""The chosen family and its rivals side by side, the better one of every row marked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from netdesign.app.explorer_panels.request import Request
from netdesign.app.html import Head, Markup, join, table, tag
from netdesign.app.layout import card
from netdesign.app.live_html import LiveHtml
from netdesign.app.page_settings import sentence
from netdesign.charts.family_reach import title
from netdesign.charts.format import NOTHING, count, digits, dollars, percent, power, ratio
from netdesign.rivals import WITHOUT_SWITCHES, Contender
from netdesign.wording import plural

MOST_COLUMNS = 4
ALL = "all"
NO_SWITCHES = "Not comparable: a torus has no switches, its nodes pass the traffic on themselves."
NODE_LINKS = "Not comparable: these links join nodes and carry what others send through them, too."
NODE_COST = "Not comparable: cables alone, for what passes traffic on is inside the nodes."
UNPRICED, UNMETERED = "no price", "no figure"


class Measure(NamedTuple):
    """A row: a number of a contender, how it is said, and which is better."""

    label: str
    value: Callable[[Contender], Any]
    said: Callable[[Any], Any]
    better: str = ""
    missing: str = NOTHING
    of_all: bool = False  # only fabrics that join all GPUs can be the best
    of_switches: bool = False  # says nothing of a fabric without them
    apart: str = ""  # why the number of a fabric without switches is none of the others'


def _tier(*tiers: str) -> Callable[[Contender], Any]:
    def found(one: Contender) -> Any:
        return sum(one.counts.switches.get(tier, 0) for tier in tiers) if one.counts else None

    return found


def _counted(name: str) -> Callable[[Contender], Any]:
    return lambda one: getattr(one.counts, name)


def reached(one: Contender) -> str:
    """Which GPUs one of them reaches through this fabric alone."""
    counts = one.counts
    if one.spec.family == "rail-only":
        return "its rail"
    dealt = one.spec.family == "multi-plane" and counts and counts.host_links == counts.endpoints
    return "its plane" if dealt else "all"


def _largest(one: Contender) -> Any:
    if one.counts is None or one.spec.family in WITHOUT_SWITCHES:
        return None
    return one.counts.largest


def _some(number: Any) -> str:
    return count(number) if number else NOTHING


MEASURES = (
    Measure("A GPU reaches", reached, str),
    Measure("Switches", _counted("total_switches"), count, "lower", of_switches=True),
    Measure("Leaf switches or routers", _tier("leaf", "router"), _some),
    Measure("Spine switches", _tier("spine"), _some),
    Measure("Core switches", _tier("core"), _some),
    Measure("Links to GPUs", _counted("host_links"), _some),
    Measure(
        "Links between switches (or nodes)",
        _counted("inter_switch_links"),
        count,
        "lower",
        apart=NODE_LINKS,
    ),
    Measure("Gb/s per GPU", lambda one: one.gbps_per_gpu, digits, "higher", apart=NODE_LINKS),
    Measure(
        "Oversubscription at the leaf",
        _counted("oversubscription"),
        ratio,
        "lower",
        of_switches=True,
    ),
    Measure("Diameter, links between switches", _counted("diameter"), count, "lower", of_all=True),
    Measure(
        "Bisection, share of full",
        lambda one: one.bisection_share,
        percent,
        "higher",
        of_all=True,
    ),
    Measure("Transceivers", _counted("transceivers"), count, "lower"),
    Measure("Ports left empty", _counted("stranded_ports"), count, "lower", of_switches=True),
    Measure(
        "Cost of switches and links",
        lambda one: one.price and one.price.cost_usd,
        dollars,
        "lower",
        UNPRICED,
        apart=NODE_COST,
    ),
    Measure(
        "Cost per GPU", lambda one: one.usd_per_gpu, dollars, "lower", UNPRICED, apart=NODE_COST
    ),
    Measure(
        "Power of the switches",
        lambda one: one.price and one.price.power_w,
        power,
        "lower",
        UNMETERED,
        of_switches=True,
    ),
    Measure("Largest of this shape", _largest, count, "higher", "no end"),
)


class TablePanel:
    """The table; what was chosen for the planner stands in :class:`NotesPanel`."""

    def __init__(self) -> None:
        self.text = LiveHtml()
        self.widget = card(self.text, classes="nd-panel-rivals nd-card-wide")

    def show(self, request: Request, contenders: Sequence[Contender]) -> None:
        """Draw the table: a column for each contender, always equally many rows."""
        head = tag(
            "header",
            tag("h2", "Side by side"),
            tag("p", asked(request), class_="nd-inputs"),
            class_="nd-card-head",
        )
        heads = [Head("")] + [Head(title(one.spec.family), number=True) for one in contenders]
        rows = [_standing(contenders), *(_row(measure, contenders) for measure in MEASURES)]
        said = "Counts of each family at this size; the best of a row is marked"
        self.text.value = join((head, table(said, heads, rows, class_="nd-rivals-table")))


class NotesPanel:
    """What was chosen for the planner, and what cannot be built, family by family."""

    def __init__(self) -> None:
        self.text = LiveHtml()
        self.widget = card(self.text, classes="nd-panel-notes")

    def show(self, contenders: Sequence[Contender]) -> None:
        """Write the notes of every contender."""
        parts = [tag("header", tag("h2", "What was chosen"), class_="nd-card-head")]
        for one in contenders:
            chosen = () if one.counts is None else one.counts.notes
            priced = () if one.price is None else one.price.notes
            lines = [one.problem] if one.problem else [*chosen, *priced]
            items = join(tag("li", sentence(line)) for line in lines)
            parts.append(tag("h3", title(one.spec.family)))
            parts.append(tag("ul", items) if lines else tag("p", "Nothing.", class_="nd-quiet"))
        self.text.value = tag("div", *parts, class_="nd-notes", tabindex=0)


def brief(chosen: Contender) -> Markup:
    """The chosen family in one line, for a page whose table is out of sight."""
    counts = chosen.counts
    if counts is None or not chosen.buildable:
        return tag("p", tag("span", f"{title(chosen.spec.family)} cannot be built so"))
    cost = None if chosen.price is None else chosen.price.cost_usd
    said = (
        plural(counts.total_switches, "switch", "switches"),
        plural(sum(counts.links.values()), "cable"),
        UNPRICED if cost is None else dollars(cost),
    )
    return tag("p", *(tag("span", part) for part in said))


def asked(request: Request) -> str:
    """What the table is of, in one line."""
    server = request.value("gpus_per_server")
    ports, speed = request.ports
    return (
        f"{count(request.gpus)} GPUs, {server} a server, at {request.endpoint_gbps:g} Gb/s · "
        f"{request.switch.name} of {ports} × {speed:g} Gb/s · "
        f"{ratio(request.value('oversubscription'))} at the leaf · prices of {request.book.name}"
    )


def _standing(contenders: Sequence[Contender]) -> list[Any]:
    def said(one: Contender) -> Any:
        if one.buildable:
            return "yes"
        if one.counts is None:
            return tag("em", "no, not so")
        return tag("em", f"no, ends at {count(one.counts.largest)}" if _outgrown(one) else "no")

    return ["Can be built", *map(said, contenders)]


def _outgrown(one: Contender) -> bool:
    wanted = one.spec.endpoints or 0
    return one.counts is not None and wanted > one.counts.largest


def _row(measure: Measure, contenders: Sequence[Contender]) -> list[Any]:
    values = [_value(measure, one) for one in contenders]
    reasons = [_apart(measure, one) for one in contenders]
    competes = [
        value is not None and not reason and (not measure.of_all or reached(one) == ALL)
        for one, value, reason in zip(contenders, values, reasons, strict=True)
    ]
    best = _best(measure.better, [v for v, ok in zip(values, competes, strict=True) if ok])
    cells: list[Any] = [measure.label]
    for one, value, ok, reason in zip(contenders, values, competes, reasons, strict=True):
        if value is None:
            said: Any = measure.missing if one.buildable else NOTHING
        else:
            said = NOTHING if reason and measure.of_switches else measure.said(value)
        if reason:
            said = _explained(said, reason)
        cells.append(_marked(said) if ok and best is not None and value == best else said)
    return cells


def _apart(measure: Measure, one: Contender) -> str:
    """Why a number cannot stand beside the others; empty if it can."""
    if not one.buildable or one.spec.family not in WITHOUT_SWITCHES:
        return ""
    return NO_SWITCHES if measure.of_switches else measure.apart


def _value(measure: Measure, one: Contender) -> Any:
    """None where there is nothing to say: not buildable, or not known."""
    return measure.value(one) if one.buildable else None


def _best(better: str, values: Sequence[Any]) -> Any:
    """The best of several values; None where all are alike or none is better."""
    if not better or len(values) < 2 or min(values) == max(values):
        return None
    return min(values) if better == "lower" else max(values)


def _marked(said: Any) -> Markup:
    return tag("span", said, tag("span", " best", class_="nd-spoken"), class_="nd-best")


def _explained(said: Any, reason: str) -> Markup:
    """A number or a dash with its reason in a tip, for a mouse, a keyboard and a screen reader."""
    spoken = tag("span", f" {reason}", class_="nd-spoken")
    return tag("span", said, spoken, class_="nd-apart", title=reason, tabindex=0)
