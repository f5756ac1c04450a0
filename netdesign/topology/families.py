"""Any family by its name: how large is it, and what is it made of?"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from types import MappingProxyType

from netdesign.errors import DesignError
from netdesign.topology.built import Fabric
from netdesign.topology.clos_build import build_clos
from netdesign.topology.clos_counts import clos_counts
from netdesign.topology.clos_request import TITLES, resolve
from netdesign.topology.direct import check_links
from netdesign.topology.dragonfly import build_dragonfly, size_dragonfly
from netdesign.topology.dragonfly_plus import build_dragonfly_plus, size_dragonfly_plus
from netdesign.topology.hammingmesh import build_hammingmesh, size_hammingmesh
from netdesign.topology.hyperx import build_hyperx, size_hyperx
from netdesign.topology.slim_fly import build_slim_fly, size_slim_fly
from netdesign.topology.spec import FabricCounts, FabricSpec
from netdesign.topology.torus import build_torus, size_torus

MOST_TIERS = 3
_GROUPS = frozenset({"groups"})
_ROUNDING = 1e-9
_COUNTS = (
    "endpoints",
    "radix",
    "tiers",
    "rails",
    "planes",
    "gpus_per_server",
    "ports_per_server",
    "domain",
    "unit_servers",
    "spare_ports",
    "groups",
    "p",
    "a",
    "h",
    "q",
    "cube",
)


def size_clos(spec: FabricSpec) -> FabricCounts:
    """Counts of a Clos fabric by formula."""
    found = resolve(spec)
    return clos_counts(found.shape, found.largest, found.reason, found.notes)


def build_clos_fabric(spec: FabricSpec) -> Fabric:
    """Every switch and link of a Clos fabric.

    Raises
    ------
    DesignError     when the family does not hold the endpoints
    """
    found = resolve(spec)
    if found.reason:
        raise too_large(spec, found.reason)
    links = clos_counts(found.shape, found.largest).links
    check_links(TITLES[spec.family], sum(links.values()), spec.endpoints)
    return build_clos(found.shape, found.notes)


def too_large(spec: FabricSpec, reason: str) -> DesignError:
    """The error for a fabric that cannot be built, from the sentence that says why."""
    clause, _, hint = reason.rstrip(".").partition("; ")
    lowered = clause[:1].lower() + clause[1:]
    return DesignError("endpoints", spec.endpoints, f"cannot be built: {lowered}", hint)


@dataclass(frozen=True)
class Family:
    """What is known of a family by name."""

    title: str
    size: Callable[[FabricSpec], FabricCounts]
    build: Callable[[FabricSpec], Fabric]
    reads: frozenset[str]  # fields of the description that it heeds, beside those of every family


def _clos(title: str, *more: str) -> Family:
    tapers = ("tiers", "oversubscription", "core_oversubscription", "spread_evenly", "planes")
    return Family(title, size_clos, build_clos_fabric, frozenset((*tapers, *more)))


_RAILS = ("rails", "domain")
FAMILIES = MappingProxyType(
    {
        "single-switch": Family("Single switch", size_clos, build_clos_fabric, frozenset()),
        "fat-tree": _clos("Fat tree", "unit_servers", "dual_tor"),
        "rail-optimised": _clos(
            "Rail-optimised, shared spines", *_RAILS, "unit_servers", "dual_tor"
        ),
        "rail-only": _clos("Rail-only, separate fabrics", *_RAILS),
        "multi-plane": _clos("Multi-plane", *_RAILS, "unit_servers"),
        "dragonfly": Family(
            "Dragonfly", size_dragonfly, build_dragonfly, frozenset("pah") | _GROUPS
        ),
        "dragonfly-plus": Family(
            "Dragonfly+", size_dragonfly_plus, build_dragonfly_plus, frozenset("pah") | _GROUPS
        ),
        "slim-fly": Family("Slim fly", size_slim_fly, build_slim_fly, frozenset("pq")),
        "hyperx": Family("HyperX", size_hyperx, build_hyperx, frozenset({"p", "dims"})),
        "torus": Family("Torus", size_torus, build_torus, frozenset({"dims", "twist", "cube"})),
    }
)
COUNTED_ONLY = MappingProxyType(
    {
        "hammingmesh": Family(
            "HammingMesh", size_hammingmesh, build_hammingmesh, frozenset({"a", "dims"})
        )
    }
)
_EVERY_FAMILY = frozenset(
    {
        "family",
        "endpoints",
        "radix",
        "port_gbps",
        "endpoint_gbps",
        "spare_ports",
        "gpus_per_server",
        "ports_per_server",
    }
)


def size(spec: FabricSpec) -> FabricCounts:
    """Counts of a fabric of any family by formula; instant at every size.

    A note says which of the given fields the family does not heed.

    Raises
    ------
    DesignError     for an unknown family or a value that no fabric can have
    """
    check(spec)
    family = _family(spec)
    counts = family.size(spec)
    idle = [
        entry.name
        for entry in fields(FabricSpec)
        if entry.name not in family.reads | _EVERY_FAMILY
        and getattr(spec, entry.name) not in (entry.default, None, False)
    ]
    if not idle:
        return counts
    names = ", ".join(name.replace("_", " ") for name in idle)
    note = f"no effect on this family: {names}"
    return replace(counts, notes=(*counts.notes, note))


def build(spec: FabricSpec) -> Fabric:
    """Every switch, port and link of a fabric of any family.

    Raises
    ------
    DesignError     as ``size``, and when the fabric cannot be built
    """
    check(spec)
    return _family(spec).build(spec)


def _family(spec: FabricSpec) -> Family:
    return FAMILIES[spec.family] if spec.family in FAMILIES else COUNTED_ONLY[spec.family]


def check(spec: FabricSpec) -> None:
    """Refuse what no fabric of any family can have."""
    known = (*FAMILIES, *COUNTED_ONLY)
    if spec.family not in known:
        near = difflib.get_close_matches(spec.family, known, n=1, cutoff=0.4)
        hint = f"did you mean {near[0]}?" if near else f"one of {', '.join(known)}"
        raise DesignError("family", spec.family, "is not known", hint)
    least = {"radix": 2, "spare_ports": 0, "q": 2}
    for name in _COUNTS:
        value, lowest = getattr(spec, name), least.get(name, 1)
        if value is not None and value < lowest:
            raise DesignError(name, value, "is too small", f"give at least {lowest}")
    if spec.tiers is not None and spec.tiers > MOST_TIERS:
        raise DesignError("tiers", spec.tiers, "is too many", f"give 1 to {MOST_TIERS}")
    _check_speeds(spec)
    _check_tapers(spec)


def _check_speeds(spec: FabricSpec) -> None:
    for name in ("port_gbps", "endpoint_gbps"):
        value = getattr(spec, name)
        if value is not None and not (0 < value < math.inf):
            raise DesignError(name, value, "is no speed", "give Gb/s above 0")
    if spec.endpoint_gbps is not None and spec.endpoint_gbps > spec.port_gbps:
        raise DesignError(
            "endpoint_gbps",
            spec.endpoint_gbps,
            "is faster than a port of the switch",
            f"give at most {spec.port_gbps:g}",
        )
    lanes = spec.port_gbps / (spec.endpoint_gbps or spec.port_gbps)
    if abs(lanes - round(lanes)) > _ROUNDING:
        raise DesignError(
            "endpoint_gbps",
            spec.endpoint_gbps,
            f"is no whole part of a port of {spec.port_gbps:g}",
            f"a half is {spec.port_gbps / 2:g}",
        )


def _check_tapers(spec: FabricSpec) -> None:
    for name in ("oversubscription", "core_oversubscription"):
        taper = getattr(spec, name)
        if not 0 < taper < math.inf:
            raise DesignError(name, taper, "is no ratio", "give a number above 0; 1 is no taper")
