"""What is asked of the page: the settings of data/ib_or_roce.csv, checked, carried in an address.

The exposed share is 0 where it is that of the design, the balance where it is that of the data with
the queue pairs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qsl, urlencode

from netdesign.app.explorer_panels.request import fabric_switches, switch_name
from netdesign.app.page_settings import (
    PageRequest,
    check_value,
    default_values,
    differing,
    read_changes,
    settings_in,
)
from netdesign.catalog import Parameter, Transport, load_catalog
from netdesign.comparison import Pricing
from netdesign.comparison.counterpart import switches_for
from netdesign.comparison.figures import Overrides, figures_of
from netdesign.congestion.settings import routing_rows
from netdesign.design import Design, read_design, shipped_designs
from netdesign.order import parts_of
from netdesign.units import mebibytes_to_bytes

AUTO, BOOK = "auto", "book"
LONGEST_QUERY = 4_096
SWITCHES = {"switch_a": "first", "switch_b": "second"}  # and the setting of their transport
_BASES = {"discount": "my discount on A", BOOK: "the price book"}


@cache
def settings() -> Mapping[str, Parameter]:
    """The settings by path, in the order of their file."""
    return settings_in("ib_or_roce.csv")


@cache
def names(path: str) -> Mapping[str, str]:
    """Each value that a choice may have, and what a person reads for it."""
    if path == "design":
        found = {name: read_design(name).name for name in shipped_designs()}
    elif path == "basis":
        found = _BASES
    elif path in SWITCHES:
        found = {key: switch_name(switch) for key, switch in fabric_switches().items()}
        found = {AUTO: "automatic", **found}
    else:
        found = {key: row.name for key, row in load_catalog().transports.items()}
    return MappingProxyType(found)


@dataclass(frozen=True)
class Request(PageRequest):
    """A value for every setting."""

    def check(self, path: str, value: Any) -> None:
        setting = settings()[path]
        if setting.kind != "choice" and AUTO in setting.choices and value == 0:
            return
        check_value(setting, value, names(path) if setting.kind == "choice" else ())

    @property
    def base(self) -> Design:
        """The design at its own size; the map of GPU counts starts from it."""
        return read_design_once(self.values["design"])

    @property
    def gpus(self) -> int:
        return int(self.values["gpus"])

    @property
    def design(self) -> Design:
        """The design at the size asked for.

        Raises
        ------
        DesignError     where the design cannot have so many GPUs
        """
        return resized(self.values["design"], self.gpus)

    @property
    def transports(self) -> tuple[str, str]:
        return str(self.values["first"]), str(self.values["second"])

    @property
    def switches(self) -> tuple[str, str]:
        """The switch of either side by key; empty for the counterpart."""
        first, second = (self.values[path] for path in SWITCHES)
        return "" if first == AUTO else str(first), "" if second == AUTO else str(second)

    def offered(self, path: str) -> tuple[str, ...]:
        """What a side may choose as its switch: those that carry its transport fast enough."""
        transport = transport_row(str(self.values[SWITCHES[path]]))
        able = switches_for(parts_of(self.base), transport)
        return (AUTO, *(switch.id for switch in able))

    @property
    def pairs_given(self) -> bool:
        """Whether the balance of the data is that of several queue pairs already."""
        row = routing_rows().get(self.transports[1])
        return row is not None and row.queue_pairs > 1

    @property
    def pairs(self) -> int:
        """Queue pairs of a connection of B."""
        given = routing_rows()[self.transports[1]].queue_pairs if self.pairs_given else 0
        return given or int(self.values["queue_pairs"])

    @property
    def automatic_balance(self) -> float:
        """Balance of B by the data, with the queue pairs."""
        second = self.transports[1]
        more = {} if self.pairs_given else {"queue_pairs": float(self.pairs)}
        return figures_of(second, {second: more}).balance.value

    @property
    def own_balance(self) -> bool:
        """Whether the planner gave the balance of B."""
        return bool(self.values["balance"])

    @property
    def balance(self) -> float:
        """Balance of B as it counts."""
        return float(self.values["balance"]) if self.own_balance else self.automatic_balance

    @property
    def message(self) -> float:
        """Bytes."""
        return mebibytes_to_bytes(float(self.values["message"]))

    @property
    def exposed(self) -> float | None:
        """The exposed share asked for; None: that of the design."""
        asked = self.values["exposed"]
        return _share_of_percent(float(asked)) if asked else None

    @property
    def pricing(self) -> Pricing:
        if self.values["basis"] == BOOK:
            return Pricing()
        return Pricing(_share_of_percent(float(self.values["discount"])))

    @property
    def overrides(self) -> Overrides:
        """What differs from the data: the balance or the queue pairs of B, the MTU of both.

        Where A and B are the same transport the figures of B are not told apart from those of A.
        """
        first, second = self.transports
        found: dict[str, dict[str, float]] = {}
        for transport in {first, second}:
            row, own = transport_row(transport), {}
            if self.values["mtu"] != row.mtu_bytes:
                own["mtu_bytes"] = float(self.values["mtu"])
            if transport == second and self.own_balance:
                own["balance_efficiency"] = self.balance
            elif transport == second and self.pairs > 1 and not self.pairs_given:
                own["queue_pairs"] = float(self.pairs)
            if own:
                found[transport] = own
        return found


@cache
def read_design_once(name: str) -> Design:
    """A design that ships with netdesign."""
    return read_design(name)


@cache
def resized(name: str, gpus: int) -> Design:
    """A design that ships with netdesign, with so many GPUs."""
    return read_design_once(name).with_values({"cluster.gpus": gpus})


def transport_row(transport: str) -> Transport:
    """The figures of a transport as the data have them."""
    return load_catalog().transports[transport]


def brought_along(request: Request, changes: Mapping[str, Any]) -> dict[str, Any]:
    """The changes, and what they bring with them.

    Another fabric B brings its own balance, another design its own size; a switch that a side
    cannot have any more gives way to the automatic one.
    """
    more = dict(changes)
    fresh = request.with_values(changes)
    if fresh.value("second") != request.value("second"):
        more = {"balance": 0, "queue_pairs": 1, **more}
    if fresh.value("design") != request.value("design"):
        more = {"gpus": fresh.base.cluster.gpus, **more}
    for path in SWITCHES:
        if fresh.value(path) not in fresh.offered(path):
            more[path] = AUTO
    return more


@cache
def default_request() -> Request:
    """What a newcomer sees."""
    return Request(default_values(settings()))


def to_query(request: Request) -> str:
    """The settings that differ from their default, as a query string."""
    changed = differing(settings(), request, default_request())
    return urlencode([("v", "1"), *changed])


def from_query(query: str) -> tuple[Request, tuple[str, ...]]:
    """A request from a query string, and what in it was ignored and why."""
    request = default_request()
    pairs = parse_qsl(query.lstrip("?")[:LONGEST_QUERY])
    changes, ignored = read_changes(settings(), pairs, request.check)
    along = brought_along(request, changes)
    for path in SWITCHES:
        if path in changes and along[path] != changes[path]:
            ignored.append(f"{path} {changes[path]!r} does not carry the transport of its side")
    return request.with_values(along), tuple(ignored)


def _share_of_percent(percent: float) -> float:
    return percent / 100
