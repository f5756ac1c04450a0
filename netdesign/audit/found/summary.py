"""Counts of a network that was found in a file, ready for JSON."""

from __future__ import annotations

from collections import Counter
from typing import Any

from netdesign.audit.found.network import FoundLink
from netdesign.audit.found.servers import servers_of
from netdesign.audit.found.tiers import Tiered, tier_name

_DIGITS = 4  # of a ratio


def speed_words(link: FoundLink) -> str:
    """4xNDR; 1xSDR/4xSDR where the ends disagree; "unknown" where neither says."""
    said = sorted({speed for speed in (link.speed, link.other_speed) if speed})
    if said:
        return "/".join(said)
    return "unknown" if link.gbps is None else f"{link.gbps:g}G"


def summary_of(tiered: Tiered) -> dict[str, Any]:
    """The summary of one network; ``host_links`` holds those of aggregation nodes too."""
    network = tiered.network
    roles = Counter(device.role for device in network.devices.values())
    listed = [
        device
        for device in network.devices.values()
        if device.role == "switch" and tiered.is_listed(device)
    ]
    servers = servers_of(tiered)
    speeds = Counter(speed_words(link) for link in tiered.links)
    inside = len(tiered.aggregation_links)
    return {
        "switches": len(listed),
        "switches_only_named": roles["switch"] - len(listed),
        "hosts": roles["host"],
        "channel_adapters": roles["host"] + roles["aggregation"],
        "aggregation_nodes": roles["aggregation"],
        "servers": len(servers.by_name),
        "adapters_per_server": {
            str(adapters): count for adapters, count in servers.adapters_of_most().items()
        },
        "unnamed_adapters": len(servers.unnamed),
        "links": len(tiered.links),
        "host_links": len(tiered.host_links) + inside,
        "aggregation_links": inside,
        "switch_links": len(tiered.switch_links),
        "ports_down": network.ports_down,
        "speeds": dict(speeds.most_common()),
        "tiers": [
            {"name": tier_name(tier), "switches": len(keys)}
            for tier, keys in enumerate(tiered.by_tier)
        ],
        "fabrics": len([part for part in tiered.components if len(part) > 1]),
        "leaves": _leaves(tiered),
    }


def _leaves(tiered: Tiered) -> list[dict[str, Any]]:
    return [
        {
            "name": tiered.device(leaf.key).name,
            "id": leaf.key,
            "down": len(leaf.down),
            "up": len(leaf.up),
            "across": len(leaf.across),
            "down_gbps": leaf.down_gbps,
            "up_gbps": leaf.up_gbps,
            "oversubscription": _rounded(leaf.oversubscription),
            "possible_oversubscription": _rounded(leaf.possible_oversubscription),
        }
        for leaf in tiered.leaves
    ]


def _rounded(ratio: float | None) -> float | None:
    return None if ratio is None else round(ratio, _DIGITS)
