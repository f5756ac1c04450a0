"""How many switches, links, ports and modules has a Clos fabric? By formula, no link drawn."""

from __future__ import annotations

from netdesign.topology.clos_shape import ClosShape, Pods
from netdesign.topology.media import transceivers_needed
from netdesign.topology.spec import FabricCounts


def clos_counts(
    shape: ClosShape, largest: int, reason: str = "", notes: tuple[str, ...] = ()
) -> FabricCounts:
    """Counts of all copies of a shape."""
    request, copies = shape.request, shape.request.copies
    leaf_spine = copies * shape.leaves.count * shape.up_links
    spine_core = copies * shape.core_links
    switches = {
        "leaf": copies * shape.leaves.count,
        "spine": copies * shape.spines,
        "core": copies * shape.cores,
    }
    ports_used = copies * _ports_used(shape)
    between = request.endpoint_gbps if request.split else request.port_gbps
    return FabricCounts(
        family=request.family,
        endpoints=request.endpoints // request.homes,
        switches=switches,
        links={"host": request.host_links, "leaf_spine": leaf_spine, "spine_core": spine_core},
        link_gbps={"host": request.endpoint_gbps, "leaf_spine": between, "spine_core": between},
        oversubscription=leaf_oversubscription(shape),
        diameter=diameter(shape),
        bisection_links=bisection_links(shape),
        transceivers=request.host_links + ports_used,
        stranded_ports=sum(switches.values()) * request.radix - ports_used,
        largest=largest,
        buildable=shape.buildable,
        reason=reason,
        notes=notes,
    )


def leaf_oversubscription(shape: ClosShape) -> float:
    """Bandwidth down over up of the fullest leaf; one that may still be filled counts as 1."""
    leaves = shape.leaves
    if not shape.pods:
        return 1.0
    used = max(endpoints for _, endpoints in leaves.loads) / shape.request.breakout
    return max(used, min(leaves.down, leaves.up)) / leaves.up


def diameter(shape: ClosShape) -> int:
    """Links between switches on the longest shortest path of two endpoints of a copy."""
    if not shape.pods or _bearing(shape) < 2:
        return 0
    return 4 if _pods_in_use(shape) > 1 else 2


def bisection_links(shape: ClosShape) -> int:
    """Links of a tier that two halves of the endpoints share: half of those of the thinnest tier.

    Counted in links between switches; never more than what the endpoints themselves can send.
    """
    request = shape.request
    hosts = request.host_links // request.copies
    if shape.leaves.count == 1:
        return request.copies * (hosts // 2)
    tiers = [
        hosts // (1 if request.split else request.breakout),
        shape.leaves.count * shape.up_links,
    ]
    if _pods_in_use(shape) > 1:
        tiers.append(shape.core_links)
    return request.copies * (min(tiers) // 2)


def _bearing(shape: ClosShape) -> int:
    """Leaves with endpoints: the first ones, for a unit is filled set after set."""
    return sum(leaves for leaves, endpoints in shape.leaves.loads if endpoints)


def _pods_in_use(shape: ClosShape) -> int:
    """Pods that hold endpoints and that cores join; 1 where there are none."""
    if not shape.cores:
        return 1
    if shape.core_groups:
        return shape.pods[0].count
    return -(-_bearing(shape) // shape.pods[0].leaves)


def _ports_used(shape: ClosShape) -> int:
    """Switch ports of one copy that hold a cable; links of one split port count once."""
    request, leaves = shape.request, shape.leaves
    down = sum(count * -(-endpoints // request.breakout) for count, endpoints in leaves.loads)
    up = leaves.count * leaves.up if shape.pods else 0
    spines = sum(pod.count * _spine_ports(shape, pod) for pod in shape.pods)
    cores = 0
    if shape.cores:
        groups = shape.core_groups or 1
        each = shape.core_links // groups
        cores = groups * int(transceivers_needed(each, request.wide, shape.cores // groups))
    return int(down + up + spines + cores)


def _spine_ports(shape: ClosShape, pod: Pods) -> int:
    wide = shape.request.wide
    below = transceivers_needed(pod.leaves * shape.up_links, wide, pod.spines)
    if shape.alike(pod):
        each, more = divmod(shape.up_links, pod.spines)
        wider, rest = -(-pod.leaves * (each + 1) // wide), -(-pod.leaves * each // wide)
        below = more * wider + (pod.spines - more) * rest
    above = transceivers_needed(pod.core_links, wide, pod.spines)
    return int(below + above)
