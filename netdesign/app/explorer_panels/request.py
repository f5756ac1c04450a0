"""What is asked of the explorer: the settings of data/explorer.csv, checked, carried in an address.

Whole numbers with the choice ``auto`` are 0 where the family is to choose.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qsl, urlencode

from netdesign.app.page_settings import (
    PageRequest,
    check_value,
    default_values,
    differing,
    read_changes,
    settings_in,
)
from netdesign.catalog import Parameter, PriceBook, Switch, load_catalog
from netdesign.charts.family_reach import title
from netdesign.economics.counted_parts import Cabling
from netdesign.rivals import settings_of
from netdesign.topology.families import FAMILIES
from netdesign.topology.spec import FabricSpec

AUTO, NONE = "auto", "none"
RIVALS = ("rival_1", "rival_2", "rival_3")
SIDES = ("dim_1", "dim_2", "dim_3")
LONGEST_QUERY = 4_096
_SPLIT_ALL = MappingProxyType({"whole": "whole ports", "split": "as fast as an endpoint"})
_FLAGS = {"yes": True, "no": False, AUTO: None}
_SPEC_FIELDS = {"endpoints": "gpus", "radix": "switch", "endpoint_gbps": "split", "dims": "dim_1"}
CARRIED = ("access_length_m", "spine_length_m", "twin_port_cages")  # by a link, without a control
_EVERYWHERE = frozenset({"family", "gpus", "price_book", *CARRIED, *RIVALS})


@cache
def settings() -> Mapping[str, Parameter]:
    """The settings by path, in the order of their file."""
    return settings_in("explorer.csv")


@cache
def names(path: str) -> Mapping[str, str]:
    """Each value that a choice may have, and what a person reads for it."""
    found: dict[str, str] = {}
    if path == "split_all":
        return _SPLIT_ALL
    for token in settings()[path].choices:
        if token == "@families":
            found.update((name, title(name)) for name in FAMILIES)
        elif token == "@switches":
            found.update((key, switch_name(switch)) for key, switch in fabric_switches().items())
        elif token == "@price_books":
            found.update((name, name) for name in load_catalog().price_books)
        else:
            found[token] = token
    if NONE in found:
        found[NONE] = "no rival"
    return MappingProxyType(found)


@cache
def fabric_switches() -> Mapping[str, Switch]:
    """Switches of the catalogue that are as fast as some server's port."""
    catalog = load_catalog()
    slowest = min(server.port_gbps for server in catalog.servers.values())
    return {key: one for key, one in catalog.switches.items() if one.port_gbps >= slowest}


def switch_name(switch: Switch) -> str:
    """Model, ports and speed, the model once."""
    ports = f"{switch.ports} × {switch.port_gbps:g}G"
    if switch.vendor == "generic":
        return f"Modular, {ports}"
    return f"{switch.name.partition(' (')[0]}, {ports}"


@dataclass(frozen=True)
class Request(PageRequest):
    """A value for every setting."""

    def check(self, path: str, value: Any) -> None:
        setting = settings()[path]
        check_value(setting, value, names(path) if setting.kind == "choice" else ())

    @property
    def family(self) -> str:
        return str(self.values["family"])

    @property
    def gpus(self) -> int:
        return int(self.values["gpus"])

    @property
    def switch(self) -> Switch:
        return fabric_switches()[self.values["switch"]]

    @property
    def book(self) -> PriceBook:
        return load_catalog().price_books[self.values["price_book"]]

    @property
    def cabling(self) -> Cabling:
        """Lengths and cages that the price of the links is counted with."""
        return Cabling(
            servers=-(-self.gpus // int(self.values["gpus_per_server"])),
            access_length_m=float(self.values["access_length_m"]),
            spine_length_m=float(self.values["spine_length_m"]),
            twin_port_cages=self.values["twin_port_cages"] == "yes",
        )

    @property
    def rivals(self) -> tuple[str, ...]:
        """Families beside the chosen one, each once."""
        wanted = dict.fromkeys(self.values[path] for path in RIVALS)
        return tuple(family for family in wanted if family not in (NONE, self.family))

    @property
    def endpoint_gbps(self) -> float:
        return self.switch.port_gbps / int(self.values["split"])

    @property
    def ports(self) -> tuple[int, float]:
        """Ports of a switch and their speed, Gb/s: whole ones, or all split as the endpoints'."""
        if self.values["split_all"] == "whole":
            return self.switch.ports, self.switch.port_gbps
        return self.switch.radix(self.endpoint_gbps), self.endpoint_gbps

    @property
    def narrowing(self) -> str:
        """The setting to blame when a fabric cannot be built: a size set by hand, else the GPUs."""
        by_hand = (
            path
            for path in ("q", "groups", *SIDES, "p", "a", "h", "tiers")
            if self.values[path] and applies(path, self.family)
        )
        return next(by_hand, "gpus")

    def spec(self) -> FabricSpec:
        """The chosen family as a description of a fabric."""
        values: dict[str, Any] = {
            path: _plain(setting, self.values[path]) for path, setting in settings().items()
        }
        values |= {
            "endpoints": self.gpus,
            "radix": self.ports[0],
            "port_gbps": self.ports[1],
            "endpoint_gbps": self.endpoint_gbps,
            "gpus_per_server": int(self.values["gpus_per_server"]),
            "dims": self._sides() or None,
            "twist": bool(values["twist"]),
            "dual_tor": bool(values["dual_tor"]),
        }
        known = settings_of(self.family) & set(values)
        return FabricSpec(family=self.family, **{name: values[name] for name in known})

    def _sides(self) -> tuple[int, ...]:
        sides = [self.values[path] for path in SIDES]
        return tuple(sides[: sides.index(0)] if 0 in sides else sides)


def applies(path: str, family: str) -> bool:
    """Whether a setting means something for a family."""
    split = dict.fromkeys(("split", "split_all"), "endpoint_gbps")
    field = {"switch": "radix", **split}.get(path, path)
    field = "dims" if path in SIDES else field
    if path == "switch":
        return True  # rivals have switches
    return path in _EVERYWHERE or field in settings_of(family)


def setting_of(field: str) -> str:
    """The setting behind a field of a FabricSpec."""
    return _SPEC_FIELDS.get(field, field)


def brought_along(request: Request, changes: Mapping[str, Any]) -> dict[str, Any]:
    """The changes, and what they bring with them.

    A switch that does not split its ports so far gives whole ones; a family that was a rival
    leaves its place to the one it follows.
    """
    fresh, more = request.with_values(changes), dict(changes)
    if int(fresh.value("split")) > fresh.switch.breakout:
        more["split"] = "1"
    for path in RIVALS:
        if fresh.value(path) == fresh.family and path not in changes:
            more[path] = request.family if request.family != fresh.family else NONE
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
    return request.with_values(brought_along(request, changes)), tuple(ignored)


def _plain(setting: Parameter, value: Any) -> Any:
    """A value as a spec has it: None where the family chooses."""
    if setting.kind == "choice":
        return _FLAGS.get(value)
    return None if AUTO in setting.choices and value == 0 else value
