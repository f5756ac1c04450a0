"""The network that was found against the cable plan of the design, port by port."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from netdesign.audit.found.names import adapter_of
from netdesign.audit.found.network import FoundNetwork
from netdesign.audit.found.tiers import TIER_NAMES, tiered
from netdesign.audit.limits import limit
from netdesign.audit.lldp.network import LldpFile, network_of
from netdesign.audit.report import FileReport
from netdesign.topology.built import Fabric
from netdesign.topology.naming import device_names, port_names

_WITHOUT_CABLES = ("slurm-topology",)
_DIGITS = re.compile(r"\d+")
_PORT = re.compile(r"(\d+(?:/\d+)*)\Z")

End = tuple[str, str]  # device and port
Cable = tuple[End, End]  # the end nearer the hosts first, as the plan has it


@dataclass(frozen=True)
class PlanComparison:
    """What is where it should be, and what is not; names are the plan's where they are known."""

    how: str  # "names" | "order" | "counts": how devices were told
    by_port: bool  # ports could be compared, and not only the pairs of devices
    planned: int
    found: int
    matched: int = 0
    missing: tuple[Cable, ...] = ()
    extra: tuple[Cable, ...] = ()
    swapped: tuple[tuple[Cable, Cable], ...] = ()  # two planned cables with ends exchanged
    moved: tuple[tuple[Cable, Cable], ...] = ()  # planned, and where it is
    devices_missing: tuple[str, ...] = ()
    devices_extra: tuple[str, ...] = ()
    counts: Mapping[str, tuple[int, int]] = field(default_factory=dict)  # planned, found
    called: Mapping[str, str] = field(default_factory=dict)  # plan's name -> name in the file

    @property
    def is_partial(self) -> bool:
        """Whether most of the planned devices are not in the files at all."""
        planned = sum(count for count, _ in self.counts.values())
        return len(self.devices_missing) > limit("mostly-missing") * max(1, planned)

    @property
    def is_as_planned(self) -> bool:
        gone = self.devices_missing and not self.is_partial
        return not (
            gone or self.missing or self.extra or self.swapped or self.moved or self.devices_extra
        ) and (self.how != "counts" or all(a == b for a, b in self.counts.values()))


@dataclass(frozen=True)
class _Side:
    """Devices by tier and cables of a plan or of what was found."""

    tiers: Mapping[str, list[str]]  # server, leaf, spine, core: names in their natural order
    cables: list[Cable]
    unnamed: frozenset[str] = frozenset()  # adapters that keep the name of the factory


def networks_of(reports: Sequence[FileReport]) -> FoundNetwork | None:
    """All networks of some files as one; None where no file holds one.

    LLDP tables of several switches are joined end to end; other dumps are laid side by side. What
    the scheduler is told is no list of cables.
    """
    contents = [
        content
        for report in reports
        for kind, content in report.contents.items()
        if kind not in _WITHOUT_CABLES
    ]
    tables = [content for content in contents if isinstance(content, LldpFile)]
    networks = [network_of(*tables)] if tables else []
    networks += [
        content.network
        for content in contents
        if isinstance(getattr(content, "network", None), FoundNetwork)
        and not isinstance(content, LldpFile)
    ]
    networks = [network for network in networks if network.links]
    if len(networks) < 2:
        return networks[0] if networks else None
    devices = {key: device for network in networks for key, device in network.devices.items()}
    links = {
        frozenset(((link.a, link.a_port), (link.b, link.b_port))): link
        for network in networks
        for link in network.links
    }
    return FoundNetwork(devices, tuple(links.values()))


def compare_with_plan(network: FoundNetwork, fabric: Fabric) -> PlanComparison:
    """Hold a found network against a built fabric.

    Devices are told by their names; where the names are others, by their order within a tier, if
    each tier has as many of them as planned; else only counts are compared.

    Parameters
    ----------
    network : FoundNetwork
    fabric : Fabric             of the design
    """
    plan, seen = _planned(fabric), _seen(network)
    counts = {
        tier: (len(plan.tiers.get(tier, ())), len(seen.tiers.get(tier, ())))
        for tier in dict.fromkeys((*plan.tiers, *seen.tiers))
    }
    how, called = _called(plan, seen)
    known = {name: planned for planned, name in called.items()}
    found = _unnamed_told([_renamed(cable, known) for cable in seen.cables], plan, seen.unnamed)
    base = PlanComparison(how, True, len(plan.cables), len(found), counts=counts, called=called)
    if how == "counts":
        return base
    present = set(called)
    by_port = _ports_agree(plan.cables, found)
    return _compared(base, plan, found, present, by_port=by_port)


def _compared(
    base: PlanComparison,
    plan: _Side,
    found: list[Cable],
    present: set[str],
    *,
    by_port: bool,
) -> PlanComparison:
    planned_names = {name for names in plan.tiers.values() for name in names}
    wanted = Counter(_sorted(cable, by_port=by_port) for cable in plan.cables)
    there = Counter(_sorted(cable, by_port=by_port) for cable in found)
    seen = {end[0] for cable in found for end in cable} | present
    # A cable of a device that is not in the files at all is told with the device.
    missing = [c for c in (wanted - there).elements() if c[0][0] in seen and c[1][0] in seen]
    extra = list((there - wanted).elements())
    swapped: list[tuple[Cable, Cable]] = []
    moved: list[tuple[Cable, Cable]] = []
    if by_port:
        missing, extra, swapped = _without_swaps(missing, extra)
        missing, extra, moved = _without_moves(missing, extra)
    strangers = {end[0] for cable in extra for end in cable} - planned_names
    return PlanComparison(
        how=base.how,
        by_port=by_port,
        planned=base.planned,
        found=base.found,
        matched=sum((wanted & there).values()),
        missing=tuple(sorted(missing)),
        extra=tuple(sorted(extra)),
        swapped=tuple(swapped),
        moved=tuple(moved),
        devices_missing=tuple(sorted(planned_names - seen)),
        devices_extra=tuple(sorted(strangers)),
        counts=base.counts,
        called=base.called,
    )


def _planned(fabric: Fabric) -> _Side:
    names = device_names(fabric)
    a_ports = port_names(fabric, fabric.a_slot, fabric.a).tolist()
    b_ports = port_names(fabric, fabric.b_slot, fabric.b).tolist()
    ends = zip(fabric.a.tolist(), a_ports, fabric.b.tolist(), b_ports, strict=True)
    tiers = {"server": names[: fabric.hosts]}
    for name, tier in zip(names[fabric.hosts :], fabric.tier.tolist(), strict=True):
        tiers.setdefault(fabric.tier_names[tier], []).append(name)
    return _Side(tiers, [((names[a], p), (names[b], q)) for a, p, b, q in ends])


def _seen(network: FoundNetwork) -> _Side:
    level = tiered(network)
    tiers: dict[str, list[str]] = {}
    name_of: dict[str, str] = {}
    unnamed: set[str] = set()
    repeated = Counter(device.name for device in network.devices.values())
    for key, device in network.devices.items():
        if device.role == "switch":
            name = device.name if repeated[device.name] == 1 else f"{device.name} ({key})"
            tier = level.tier.get(key, -1)
            label = TIER_NAMES[tier] if 0 <= tier < len(TIER_NAMES) else "switch"
        elif device.role == "host":
            said = adapter_of(device.name)
            name, label = said.server or f"{device.name} ({key})", "server"
            if not said.server:
                unnamed.add(name)
        else:
            continue
        name_of[key] = name
        tiers.setdefault(label, []).append(name)
    cables = []
    for link in network.links:
        if link.a in name_of and link.b in name_of and not link.is_management:
            ends = [
                (name_of[key], _port_of(network, key, port))
                for key, port in ((link.a, link.a_port), (link.b, link.b_port))
            ]
            cables.append((ends[0], ends[1]))
    ordered = {tier: _in_order(set(names)) for tier, names in tiers.items()}
    return _Side(ordered, cables, frozenset(unnamed))


def _port_of(network: FoundNetwork, key: str, port: str) -> str:
    """The port as the plan would call it: nic3 of a server, 12 or 12/1 of a switch."""
    device = network.devices[key]
    if device.role == "host":
        number = adapter_of(device.name).number
        if number is not None:
            return f"nic{number}"
    match = _PORT.search(port)
    if match is None:
        return port
    if device.role == "host":
        return f"nic{int(match[1].rpartition('/')[2]) + (not port.isdecimal())}"
    parts = match[1].split("/")
    return parts[-1] if len(parts) < 3 else "/".join(parts[-2:])


def _called(plan: _Side, seen: _Side) -> tuple[str, dict[str, str]]:
    """Plan's name -> name in the file, and how they were told."""
    plain: dict[str, str] = {}
    for names in seen.tiers.values():
        for name in names:
            plain.setdefault(_plain(name), name)
    planned = [name for names in plan.tiers.values() for name in names]
    called = {name: plain[_plain(name)] for name in planned if _plain(name) in plain}
    switches = [name for tier, names in plan.tiers.items() for name in names if tier != "server"]
    told = sum(name in called for name in switches)
    if called and max(told / max(1, len(switches)), len(called) / len(planned)) >= limit(
        "same-names"
    ):
        return "names", called
    if all(len(names) == len(seen.tiers.get(tier, ())) for tier, names in plan.tiers.items()):
        pairs = [
            pair
            for tier, names in plan.tiers.items()
            for pair in zip(names, seen.tiers[tier], strict=True)
        ]
        return "order", dict(pairs)
    return "counts", {}


def _unnamed_told(found: list[Cable], plan: _Side, unnamed: frozenset[str]) -> list[Cable]:
    """Cables of adapters without a server's name: taken for the planned one at that switch port."""
    if not unnamed:
        return found
    at = _by_end(plan.cables)
    told = []
    for cable in found:
        a, b = cable
        far = b if a[0] in unnamed else a if b[0] in unnamed else None
        told.append(at.get(far, cable) if far is not None else cable)
    return told


def _plain(name: str) -> str:
    """A name without its domain, capitals and leading zeros."""
    short = name.strip().lower().partition(".")[0]
    return _DIGITS.sub(lambda match: str(int(match[0][:18])), short).replace("_", "-")


def _in_order(names: Iterable[str]) -> list[str]:
    return sorted(names, key=lambda name: (_DIGITS.sub("0", name), _numbers(name), name))


def _numbers(name: str) -> tuple[int, ...]:
    return tuple(int(number[:18]) for number in _DIGITS.findall(name))


def _renamed(cable: Cable, known: Mapping[str, str]) -> Cable:
    (a, p), (b, q) = cable
    return (known.get(a, a), p), (known.get(b, b), q)


def _ports_agree(planned: list[Cable], found: list[Cable]) -> bool:
    """Whether ports are named as in the plan: if not, few cables between like devices agree."""
    wanted, there = ({_sorted(cable) for cable in side} for side in (planned, found))
    pairs = {_sorted(cable, by_port=False) for cable in planned}
    same_pair = sum(_sorted(cable, by_port=False) in pairs for cable in found)
    return len(wanted & there) >= limit("same-ports") * max(1, same_pair)


def _sorted(cable: Cable, *, by_port: bool = True) -> Cable:
    """A cable with its ends in a fixed order, so that both directions are one."""
    a, b = sorted(cable) if by_port else sorted((device, "") for device, _ in cable)
    return a, b


def _by_end(cables: Iterable[Cable]) -> dict[End, Cable]:
    return {end: cable for cable in cables for end in cable}


def _without_swaps(
    missing: list[Cable], extra: list[Cable]
) -> tuple[list[Cable], list[Cable], list[tuple[Cable, Cable]]]:
    """Two planned cables whose ends were exchanged: both other cables are there."""
    at = _by_end(missing)
    crossed: dict[frozenset[Cable], list[Cable]] = {}
    for cable in extra:
        first, second = at.get(cable[0]), at.get(cable[1])
        if first is not None and second is not None and first != second:
            crossed.setdefault(frozenset((first, second)), []).append(cable)
    gone_missing: set[Cable] = set()
    gone_extra: set[Cable] = set()
    swapped = []
    for pair, cables in crossed.items():
        if len(cables) == 2 and not pair & gone_missing:
            gone_missing |= pair
            gone_extra |= set(cables)
            a, b = sorted(pair)
            swapped.append((a, b))
    left = [cable for cable in missing if cable not in gone_missing]
    return left, [cable for cable in extra if cable not in gone_extra], sorted(swapped)


def _without_moves(
    missing: list[Cable], extra: list[Cable]
) -> tuple[list[Cable], list[Cable], list[tuple[Cable, Cable]]]:
    """A planned cable of which one end is at another port."""
    at = _by_end(missing)
    moved: list[tuple[Cable, Cable]] = []
    used: set[Cable] = set()
    left = []
    for cable in extra:
        planned = next(
            (at[end] for end in cable if end in at and at[end] not in used),
            None,
        )
        if planned is None:
            left.append(cable)
        else:
            used.add(planned)
            moved.append((planned, cable))
    return [cable for cable in missing if cable not in used], left, sorted(moved)
