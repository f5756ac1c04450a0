"""What is asked of the page: the settings of data/congestion_page.csv over a design, checked.

A permalink carries the design by name, or value by value as the Studio's address does; whole
numbers with the choice ``auto`` are 0 where the best plan is to choose.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import Any, Self
from urllib.parse import parse_qsl, urlencode

from netdesign.app.page_settings import (
    PageRequest,
    check_value,
    default_values,
    differing,
    read_changes,
    settings_in,
)
from netdesign.catalog import Parameter, data_directory
from netdesign.catalog.switch_chips import switch_chips
from netdesign.charts.words import FAMILIES
from netdesign.congestion import Conditions
from netdesign.congestion.members import order_with
from netdesign.design import (
    Design,
    choices,
    design_from_query,
    design_to_query,
    read_design,
    shipped_designs,
)
from netdesign.errors import DesignError
from netdesign.lossless import LosslessChoice

AUTO, NONE, OWN, TRANSPORT, WORST = "auto", "none", "own", "transport", "worst"
LONGEST_QUERY = 8_192
OF_DESIGN = MappingProxyType(
    {
        "taper": "network.oversubscription",
        "core_taper": "network.core_oversubscription",
        "family": "network.family",
        "gpus": "cluster.gpus",
        "cable_length": "network.spine_length_m",
        "fleet": "reliability.fleet",
        "checkpoint_stall": "reliability.checkpoint_stall_s",
        "restart": "reliability.restart_minutes",
    }
)
_DEVICE = re.compile(r"[A-Za-z0-9@.:_-]{1,60}")
_WORDS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "broken": {
            NONE: "nothing",
            "cable": "a cable of a server, or its optics",
            "nic": "a NIC",
            "nic@0.5": "a NIC at half its rate",
            "uplink": "a cable between switches, or its optics",
            "leaf": "a leaf",
            "spine": "a spine",
            "core": "a core switch",
            "plane": "a plane",
            "server": "a server",
        },
        "routing": {
            TRANSPORT: "as the transport does",
            "ecmp": "ECMP, hashed",
            "static": "static, by destination",
            "adaptive": "adaptive, spread evenly",
        },
        "shown": {WORST: "of the slowest collective", "all": "highest of all collectives"},
        "chip": {AUTO: "that of the switch"},
        "fleet": {
            "llama-3": "Llama 3",
            "rsc-1": "Meta RSC-1",
            "rsc-2": "Meta RSC-2",
            "given": "given in the design",
        },
    }
)


@cache
def settings() -> Mapping[str, Parameter]:
    """The settings by path, in the order of their file."""
    return settings_in("congestion_page.csv")


@cache
def names(path: str) -> Mapping[str, str]:
    """Each value that a choice may have, and what a person reads for it."""
    words = _WORDS.get(path, {})
    found: dict[str, str] = {}
    for token in settings()[path].choices:
        if token == "@designs":
            found.update((name, read_design_once(name).name) for name in shipped_designs())
        elif token == "@families":
            known = choices("network.family")
            found.update((name, FAMILIES.get(name, name)) for name in known)
        elif token == "@chips":
            found.update((key, chip.name) for key, chip in switch_chips(data_directory()).items())
        else:
            found[token] = words.get(token, token)
    if path == "design":
        found[OWN] = "brought along"
    if path == "fleet":
        found["given"] = words["given"]
    return MappingProxyType(found)


@dataclass(frozen=True)
class Request(PageRequest):
    """A value for every setting, and the design below them."""

    base: Design

    def with_values(self, changes: Mapping[str, Any]) -> Self:
        fresh = super().with_values(changes)
        name = fresh.value("design")
        return fresh if name == OWN else replace(fresh, base=read_design_once(name))

    def check(self, path: str, value: Any) -> None:
        if path == "broken" and isinstance(value, str) and _DEVICE.fullmatch(value):
            return
        setting = settings()[path]
        check_value(setting, value, names(path) if setting.kind == "choice" else ())

    @property
    def gpus(self) -> int:
        return int(self.values["gpus"])

    @property
    def broken(self) -> str:
        """What is broken, as ``failures.broken`` reads it; empty for nothing."""
        word = str(self.values["broken"])
        return "" if word == NONE else word

    @property
    def sized(self) -> Design:
        """The design with everything but its taper and its plan as asked.

        Raises
        ------
        DesignError     where the design cannot have it
        """
        asked = {
            path: self.values[own]
            for own, path in OF_DESIGN.items()
            if own != "taper" and self.values[own] != self.base.value(path)
        }
        return self.base.with_values(asked) if asked else self.base

    @property
    def steers_plan(self) -> bool:
        return bool(self.values["tensor"] or self.values["pipeline"])

    def planned(self, best: Mapping[str, Any]) -> Design:
        """The design with the degrees asked for, the rest as in the ``best`` plan."""
        design = self.sized.with_values({"network.oversubscription": self.values["taper"]})
        if not self.steers_plan:
            return design
        asked = {
            f"plan.{path}": self.values[path]
            for path in ("tensor", "pipeline")
            if self.values[path]
        }
        changed = {**best, **asked, "plan.mode": "manual"}
        if changed["plan.pipeline"] != best["plan.pipeline"]:
            changed["plan.virtual_stages"] = 1  # as many chunks seldom divide other stages
        return design.with_values(changed)

    @property
    def conditions(self) -> Conditions:
        routing = self.values["routing"]
        pairs = None if routing == TRANSPORT else int(self.values["queue_pairs"])
        return Conditions(
            routing=None if routing == TRANSPORT else routing,
            queue_pairs=pairs,
            placement=str(self.values["placement"]),
            rank_order=order_with(str(self.values["rank_order"]), int(self.values["members"])),
            seed=int(self.values["seed"]),
        )

    @property
    def lossless(self) -> LosslessChoice:
        chip = self.values["chip"]
        return LosslessChoice(
            chip=None if chip == AUTO else chip,
            spine_length=float(self.values["cable_length"]),
            lossless_mtu=float(self.values["lossless_mtu"]),
            small_packet_share=float(self.values["small_share"]),
        )


@cache
def read_design_once(name: str) -> Design:
    """A design that ships with netdesign."""
    return read_design(name)


@cache
def default_request() -> Request:
    """What a newcomer sees."""
    values = default_values(settings())
    return Request(values, read_design_once(values["design"]))


def opening(base: Design, name: str = OWN) -> Request:
    """What a design shows when it is opened: its own values, its transport's routing."""
    first = default_request()
    if name == first.value("design"):
        return first
    own = {path: base.value(field) for path, field in OF_DESIGN.items()}
    values = {**first.values, **own, "design": name, "routing": TRANSPORT}
    return Request(MappingProxyType(values), base)


def brought_along(request: Request, changes: Mapping[str, Any]) -> dict[str, Any]:
    """The changes, and what they bring with them: a design brings its own values."""
    name = changes.get("design", request.value("design"))
    more = dict(changes)
    if name not in (OWN, request.value("design")):
        first = opening(read_design_once(name), name)
        kept = {path: first.value(path) for path in (*OF_DESIGN, "routing")}
        return {**kept, "tensor": 0, "pipeline": 0, "broken": NONE, **more}
    if changes.get("queue_pairs", 1) > 1 and request.value("routing") == TRANSPORT:
        more = {"routing": "ecmp", **more}
    return more


def to_query(request: Request) -> str:
    """The design, and the settings that differ from what it shows when opened."""
    name = request.value("design")
    first = opening(request.base, name)
    head = [] if first is default_request() else [("design", name)]
    changed = differing(settings(), request, first)
    own = parse_qsl(design_to_query(request.base))[1:] if name == OWN else []
    return urlencode([("v", "1"), *head, *changed, *own])


def from_query(query: str) -> tuple[Request, tuple[str, ...]]:
    """A request from a query string, and what in it was ignored and why."""
    pairs = parse_qsl(query.lstrip("?")[:LONGEST_QUERY])
    given = dict(pairs)
    ignored: list[str] = []
    request = default_request()
    is_own = given.get("design") == OWN or any("." in key for key in given)
    if is_own:
        base, wrong = design_from_query(urlencode(pairs))
        ignored += wrong
        request = opening(base)
    elif "design" in given:
        try:
            request.check("design", given["design"])
            request = opening(read_design_once(given["design"]), given["design"])
        except DesignError as error:
            ignored.append(str(error))
    others = [(path, text) for path, text in pairs if path != "design"]
    changes, wrong_values = read_changes(settings(), others, request.check)
    ignored += wrong_values
    return request.with_values(changes), tuple(ignored)
