"""What a topology file holds, in figures."""

from __future__ import annotations

from collections import Counter
from typing import Any

from netdesign.audit.found.tiers import tier_name
from netdesign.audit.slurm_topology.content import SlurmContent, Topology
from netdesign.audit.slurm_topology.hostlist import fold
from netdesign.audit.slurm_topology.shape import Shape


def summarise(content: SlurmContent) -> dict[str, Any]:
    """The topology that stands for the file; all of them where there are several."""
    summary = topology_summary(content.main)
    if len(content.topologies) > 1:
        summary["topologies"] = [topology_summary(entry) for entry in content.topologies]
    return summary


def topology_summary(topology: Topology) -> dict[str, Any]:
    """Figures of one topology; hosts are nodes, each counted once."""
    hosts = {node for unit in topology.units for node in unit.nodes}
    summary: dict[str, Any] = {
        "name": topology.name or None,
        "plugin": topology.plugin,
        "switches": len(topology.units) if topology.plugin == "tree" else 0,
        "hosts": len(hosts),
    }
    if topology.plugin == "tree":
        return {**summary, **_tree(topology, topology.shape)}
    if topology.plugin == "block":
        summary["block_sizes"] = list(topology.block_sizes) if topology.block_sizes else None
    _, several = topology.words
    summary[several] = [
        {
            "name": unit.name,
            "nodes": len(unit.nodes),
            "members": fold(unit.nodes),
            **({"dimensions": list(unit.dimensions)} if unit.dimensions else {}),
        }
        for unit in topology.units
    ]
    return summary


def _tree(topology: Topology, shape: Shape) -> dict[str, Any]:
    host_links = sum(len(unit.nodes) for unit in topology.units)
    switch_links = sum(len(above) for above in shape.parents.values())
    speeds = Counter(unit.link_speed for unit in topology.units if unit.link_speed is not None)
    return {
        "tiers": [
            {"name": tier_name(tier), "switches": count}
            for tier, count in sorted(Counter(shape.levels.values()).items())
        ],
        "links": host_links + switch_links,
        "host_links": host_links,
        "switch_links": switch_links,
        "leaf_switches": len(shape.leaves),
        "leaves": [
            {
                "name": unit.name,
                "down": len(unit.nodes),
                "up": len(shape.parents.get(unit.name, ())),
                "oversubscription": None,  # the file does not say how many cables there are
                "nodes": fold(unit.nodes),
                "parents": list(shape.parents.get(unit.name, ())),
                "link_speed": unit.link_speed,
            }
            for unit in shape.leaves
        ],
        "roots": list(shape.roots),
        "islands": len(shape.islands),
        "link_speeds": {str(speed): count for speed, count in sorted(speeds.items())},
    }
