"""What is one device of a built fabric: its tier, its rack, its ports, and whom it is joined to?"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from netdesign.charts.fabric_places import level
from netdesign.charts.fabric_words import kind_words, tier_words
from netdesign.topology.built import Fabric
from netdesign.topology.layout import Placement
from netdesign.topology.naming import device_names
from netdesign.wording import plural

Whole = npt.NDArray[np.int64]

MOST_NAMED = 4  # neighbours of a tier; of more, the first and the last are named


def device_said(fabric: Fabric, device: int, placement: Placement | None = None) -> tuple[str, ...]:
    """One device in sentences: what and where it is, its ports, its neighbours tier by tier."""
    names = device_names(fabric)
    place = "" if placement is None else _place(placement, device)
    joined = _neighbours(fabric, device, names)
    return (f"{names[device]}: {_what(fabric, device)}{place}.", _ports(fabric, device), *joined)


def _what(fabric: Fabric, device: int) -> str:
    """The tier, and the rail, plane and group where they tell devices apart."""
    number = int(level(fabric)[device])
    kind = tier_words(fabric, number, 1).removeprefix("1 ")
    said = [kind if number == 0 or kind == "router" else f"{kind} switch"]
    if number:
        pod = "pod" if len(fabric.tier_names) > 1 and "dragonfly" not in fabric.family else "group"
        for word, values in (("rail", fabric.rail), ("plane", fabric.plane), (pod, fabric.pod)):
            own = int(values[device - fabric.hosts])
            if own >= 0 and len(np.unique(values[values >= 0])) > 1:
                said.append(f"{word} {own + 1}")
    return ", ".join(said)


def _place(placement: Placement, device: int) -> str:
    rack = placement.rack_names[int(placement.rack[device])]
    return f", in rack {rack} from unit {int(placement.unit[device])}"


def _ports(fabric: Fabric, device: int) -> str:
    """How many ports it has, and what they are used for."""
    on_host = device < fabric.hosts
    ends = np.concatenate([fabric.a_slot[fabric.a == device], fabric.b_slot[fabric.b == device]])
    used = len(np.unique(ends // (1 if on_host else fabric.breakout)))
    owned = fabric.host_ports if on_host else int(fabric.ports[device - fabric.hosts])
    spare = 0 if on_host else min(fabric.spare_ports, owned - used)
    said = [f"{used} used"]
    said += [f"{spare} kept spare"] if spare else []
    return f"{plural(owned, 'port')}: {', '.join([*said, f'{owned - used - spare} empty'])}."


def _neighbours(fabric: Fabric, device: int, names: list[str]) -> list[str]:
    """A sentence for each kind of link and tier that it leads to."""
    lower, upper = np.asarray(fabric.a) == device, np.asarray(fabric.b) == device
    other = np.where(lower, fabric.b, fabric.a)[lower | upper].astype(np.int64)
    kind, levels = np.asarray(fabric.kind)[lower | upper], level(fabric)
    said = []
    for number in np.unique(kind).tolist():
        for tier in np.unique(levels[other[kind == number]]).tolist():
            ends = other[(kind == number) & (levels[other] == tier)]
            found, links = np.unique(ends, return_counts=True)
            who, how = tier_words(fabric, tier, len(found)), _links(links)
            speed, way = f"{fabric.kinds[number].gbps:g} Gb/s", _way(fabric.kinds[number].name)
            said.append(f"{who} by {how} of {speed}{way}: {_named(names, found)}.")
    return said


def _links(links: Whole) -> str:
    """How many links lead to each neighbour."""
    low, high = int(links.min()), int(links.max())
    each = f"{low:,} to {high:,} links" if low != high else plural(low, "link")
    return f"{each} each" if len(links) > 1 else each


def _way(kind: str) -> str:
    """The kind of link, where the tiers at its ends do not tell."""
    return "" if kind in ("host", "leaf_spine", "spine_core") else f" ({kind_words(kind)})"


def _named(names: list[str], devices: Whole) -> str:
    """All names, or the first and the last."""
    run = len(devices) > 2 and int(devices[-1] - devices[0]) == len(devices) - 1
    if run:
        return f"{names[devices[0]]} to {names[devices[-1]]}"
    if len(devices) <= MOST_NAMED:
        return ", ".join(names[device] for device in devices.tolist())
    first = ", ".join(names[device] for device in devices[: MOST_NAMED - 1].tolist())
    return f"{first} … {names[devices[-1]]}"
