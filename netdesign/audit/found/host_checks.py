"""Are the servers of a found network named, cabled and reached like each other?"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from netdesign.audit.found.link_checks import MOST_NAMED
from netdesign.audit.found.names import is_factory_name
from netdesign.audit.found.servers import Port, Server, Servers
from netdesign.audit.found.tiers import Tiered, tier_name
from netdesign.audit.limits import limit
from netdesign.audit.report import Finding
from netdesign.wording import named, plural

_FEWEST_ALIKE = 3


def no_fabric(tiered: Tiered, servers: Servers) -> list[Finding]:
    """Devices without a single link."""
    if tiered.links:
        return []
    devices = tiered.network.devices.values()
    roles = Counter(device.role for device in devices)
    counts = (
        f"{plural(roles['switch'], 'switch', 'switches')}, {plural(roles['host'], 'host')} and "
        "no link"
    )
    return [
        Finding(
            "no-fabric",
            "error",
            "file",
            f"No fabric found: the file holds {counts}. The port that the tool ran on is down or "
            "not cabled, or the file was cut: look at ibstat, then take the dump again.",
            {"switches": roles["switch"], "hosts": roles["host"], "links": 0},
        )
    ]


def separate_fabrics(tiered: Tiered, servers: Servers) -> list[Finding]:
    """Parts that no link joins."""
    parts = [part for part in tiered.components if len(part) > 1]
    if len(parts) < 2:
        return []
    sizes = []
    for part in parts:
        roles = Counter(tiered.role(key) for key in part)
        sizes.append({"switches": roles["switch"], "hosts": roles["host"]})
    said = named(
        f"{plural(size['switches'], 'switch', 'switches')} with {plural(size['hosts'], 'host')}"
        for size in sizes
    )
    return [
        Finding(
            "separate-fabrics",
            "note",
            "whole network",
            f"{len(parts):,} parts that no link joins: {said}. Planes or rails of their own, "
            "several fabrics in one file, or a file that holds only a part.",
            {"parts": sizes[:MOST_NAMED], "count": len(parts)},
        )
    ]


def hosts_above(tiered: Tiered, servers: Servers) -> list[Finding]:
    """Hosts that sit on switches above the leaves."""
    if not tiered.hosted_above:
        return []
    names = [tiered.device(key).name for key in tiered.hosted_above]
    hosts = sum(
        tiered.role(other) == "host" for key in tiered.hosted_above for _, other in tiered.at[key]
    )
    tier = tier_name(tiered.tier.get(tiered.hosted_above[0], 1))
    return [
        Finding(
            "hosts-above-leaves",
            "note",
            names[0],
            f"{plural(hosts, 'host link')} on {plural(len(names), tier)} ({named(names)}): such "
            "hosts, often storage or the subnet manager, take ports that leaves could use.",
            {"switches": names[:MOST_NAMED], "host_links": hosts},
        )
    ]


def unconnected(tiered: Tiered, servers: Servers) -> list[Finding]:
    """Switches and adapters of which no link is up, where others have one."""
    if not tiered.links:
        return []
    alone = [
        device
        for key, device in tiered.network.devices.items()
        if device.role in ("switch", "host") and not tiered.at.get(key)
    ]
    if not alone:
        return []
    return [
        Finding(
            "unconnected",
            "note",
            alone[0].name,
            f"{plural(len(alone), 'device')} without any link: "
            f"{named(device.name for device in alone)}. A cable that is out, a port that is down, "
            "or a dump that was cut.",
            {"devices": [device.name for device in alone[:MOST_NAMED]], "count": len(alone)},
        )
    ]


def names_of_the_factory(tiered: Tiered, servers: Servers) -> list[Finding]:
    """Adapters and switches that nobody has named."""
    switches = [
        device.name
        for device in tiered.network.devices.values()
        if device.role == "switch" and is_factory_name(device.name)
    ]
    findings = []
    if servers.unnamed:
        examples = Counter(tiered.device(key).name for key in servers.unnamed)
        findings.append(
            Finding(
                "factory-name",
                "note",
                "whole network",
                f"{plural(len(servers.unnamed), 'channel adapter keeps', 'channel adapters keep')} "
                f'the factory name ("{examples.most_common(1)[0][0]}"): their servers cannot be '
                "told. Start the service that writes node descriptions (rdma-ndd).",
                {"adapters": len(servers.unnamed), "names": dict(examples.most_common(5))},
            )
        )
    if switches:
        findings.append(
            Finding(
                "factory-name",
                "note",
                "whole network",
                f"{plural(len(switches), 'switch keeps', 'switches keep')} the factory name "
                f'("{switches[0]}"): give them names, or a node-name-map to the tool.',
                {"switches": len(switches)},
            )
        )
    return findings


def duplicate_names(tiered: Tiered, servers: Servers) -> list[Finding]:
    """One name on several devices, names of the factory apart."""
    keys: dict[str, list[str]] = defaultdict(list)
    for key, device in tiered.network.devices.items():
        if device.role in ("switch", "host") and device.name != key:
            keys[device.name].append(key)
    twice = {
        name: same for name, same in keys.items() if len(same) > 1 and not is_factory_name(name)
    }
    if not twice:
        return []
    said = named(f"{name} ({len(same)} times)" for name, same in twice.items())
    return [
        Finding(
            "duplicate-name",
            "warning",
            next(iter(twice)),
            f"{plural(len(twice), 'name')} on several devices: {said}. Two machines with one host "
            "name, or a description copied with a disk image: whatever works by name mixes them "
            "up.",
            {
                "names": {name: same[:MOST_NAMED] for name, same in list(twice.items())[:50]},
                "count": len(twice),
            },
        )
    ]


def misplaced_adapters(tiered: Tiered, servers: Servers) -> list[Finding]:
    """Adapters on the switch where nearly all servers have another one: swapped rails."""
    rails = rails_of(servers)
    numbers = set(rails.values())  # one that no switch is for is only named otherwise
    wrong: dict[str, list[Port]] = {}
    for server in servers.by_name.values():
        if server.is_ambiguous:
            continue
        known = [port for port in server.ports if port.number in numbers and port.switch in rails]
        off = [port for port in known if rails[port.switch] != port.number]
        if not off:
            continue
        # more than half of them off: a server that numbers its adapters in its own way
        if _is_swap(off, rails) or 2 * len(off) <= len(known):
            wrong[server.name] = off
    if not wrong:
        return []
    swaps = {name: off for name, off in wrong.items() if _is_swap(off, rails)}
    findings = []
    for rule, chosen in (
        ("rail-swap", swaps),
        ("misplaced-adapter", {name: off for name, off in wrong.items() if name not in swaps}),
    ):
        if chosen:
            findings.append(_misplaced(tiered, rule, chosen, rails))
    return findings


def rails_of(servers: Servers) -> dict[str, int]:
    """The number of the adapter that nearly all servers have on a switch, by its key."""
    numbers: dict[str, Counter[int]] = defaultdict(Counter)
    for server in servers.by_name.values():
        if server.is_ambiguous or len(server.adapters) < 2:
            continue
        for port in server.ports:
            if port.number is not None:
                numbers[port.switch][port.number] += 1
    rails = {}
    for switch, counted in numbers.items():
        number, count = counted.most_common(1)[0]
        total = sum(counted.values())
        if count >= _FEWEST_ALIKE and count >= limit("mostly-alike") * total:
            rails[switch] = number
    # one adapter of everybody on every switch says nothing about rails
    return rails if len(set(rails.values())) > 1 else {}


def _is_swap(off: list[Port], rails: dict[str, int]) -> bool:
    """Whether the adapters only stand in each other's places."""
    return len(off) > 1 and sorted(port.number or 0 for port in off) == sorted(
        rails[port.switch] for port in off
    )


def _misplaced(
    tiered: Tiered, rule: str, wrong: dict[str, list[Port]], rails: dict[str, int]
) -> Finding:
    said = named(
        f"{name}: "
        + ", ".join(
            f"{port.adapter} on {tiered.device(port.switch).name}, where the others have "
            f"their adapter {rails[port.switch]}"
            for port in off
        )
        for name, off in wrong.items()
    )
    servers: list[dict[str, Any]] = [
        {
            "server": name,
            "adapters": [
                {
                    "adapter": port.adapter,
                    "number": port.number,
                    "switch": tiered.device(port.switch).name,
                    "usual_number": rails[port.switch],
                    "line": port.link.line,
                }
                for port in off
            ],
        }
        for name, off in list(wrong.items())[:MOST_NAMED]
    ]
    what = "with swapped rails" if rule == "rail-swap" else "with an adapter on another rail"
    return Finding(
        rule,
        "warning",
        next(iter(wrong)),
        f"{plural(len(wrong), 'server')} {what}: {said}. Traffic of one rail then crosses the "
        "spines: swap the cables at the server, or check the order of its adapters.",
        {"servers": servers, "count": len(wrong)},
    )


def missing_adapters(tiered: Tiered, servers: Servers) -> list[Finding]:
    """Servers with fewer adapters than most servers that are named alike."""
    families: dict[str, list[Server]] = defaultdict(list)
    for server in servers.by_name.values():
        if not server.is_ambiguous:
            families[server.family].append(server)
    short: list[tuple[Server, int]] = []
    for group in families.values():
        counted = Counter(len(server.adapters) for server in group)
        usual, count = counted.most_common(1)[0]
        if usual < 2 or len(group) < _FEWEST_ALIKE or count * 2 <= len(group):
            continue
        short += [(server, usual) for server in group if len(server.adapters) < usual]
    if not short:
        return []
    missing = sum(usual - len(server.adapters) for server, usual in short)
    unnamed = len(servers.unnamed)
    sure = max(0, missing - unnamed)
    excuse = (
        f" {plural(unnamed, 'adapter')} without a server's name may be "
        f"{'some' if sure else 'all'} of them."
        if unnamed
        else " They are down, not cabled or gone from the bus: look at ibstat on the servers."
    )
    said = named(f"{server.name} has {len(server.adapters)} of {usual}" for server, usual in short)
    return [
        Finding(
            "missing-adapter",
            "note" if not sure else "warning",
            short[0][0].name,
            f"{plural(len(short), 'server')} with fewer adapters than the others of the kind, "
            f"{missing:,} in all: {said}.{excuse}",
            {
                "servers": len(short),
                "missing": missing,
                "unnamed_adapters": unnamed,
                "names": [server.name for server, _ in short[:MOST_NAMED]],
            },
        )
    ]


def hosts_on_one_switch(tiered: Tiered, servers: Servers) -> list[Finding]:
    """Servers that hang on one switch where servers named alike hang on several."""
    if servers.unnamed:
        return []
    families: dict[str, list[Server]] = defaultdict(list)
    for server in servers.by_name.values():
        if server.ports and not server.is_ambiguous:
            families[server.family].append(server)
    alone = []
    for group in families.values():
        single = [server for server in group if len(server.switches) == 1]
        if len(group) >= _FEWEST_ALIKE and len(single) <= (1 - limit("mostly-alike")) * len(group):
            alone += single
    if not alone:
        return []
    names = [server.name for server in alone]
    return [
        Finding(
            "single-point",
            "warning",
            names[0],
            f"{plural(len(alone), 'server')} on one switch only, where the others of the kind are "
            f"on several: {named(names)}. The loss of that switch cuts them off.",
            {"servers": names[:MOST_NAMED], "count": len(names)},
        )
    ]


HOST_CHECKS = (
    no_fabric,
    separate_fabrics,
    unconnected,
    misplaced_adapters,
    missing_adapters,
    hosts_on_one_switch,
    duplicate_names,
    names_of_the_factory,
    hosts_above,
)
