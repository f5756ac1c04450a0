"""What the graph of a built fabric says of itself, as a record and as text."""

from __future__ import annotations

from typing import Any

from netdesign.topology.bisection import bisection
from netdesign.topology.built import Fabric
from netdesign.topology.distances import distances, path_counts
from netdesign.topology.metrics import endpoint_parts, oversubscription_by_leaf, ports_by_tier
from netdesign.topology.resilience import resilience


def measures_record(fabric: Fabric) -> dict[str, Any]:
    """Oversubscription, hops, paths, bisection, empty ports and weak points, all measured."""
    load, far = oversubscription_by_leaf(fabric), distances(fabric)
    paths, cut, weak = path_counts(fabric), bisection(fabric), resilience(fabric)
    return {
        "oversubscription": {"worst": load.worst, "typical": load.typical},
        "diameter": far.diameter,
        "mean_hops": far.mean_hops,
        "hops_are_exact": far.exact,
        "paths_between_leaves": {
            "least": paths.least,
            "median": paths.median,
            "most": paths.most,
        },
        "bisection": {"links": cut.links, "gbps": cut.gbps, "method": cut.method},
        "parts_that_never_meet": len(endpoint_parts(fabric).endpoints),
        "stranded_ports": {tier: ports.stranded for tier, ports in ports_by_tier(fabric).items()},
        "survives_any_one_switch": weak.survives_any_one_switch,
        "survives_any_one_link": weak.survives_any_one_link,
        "weak_points": [
            {
                "name": point.name,
                "is_link": point.is_link,
                "count": point.count,
                "hosts_cut_off": point.hosts_cut_off,
                "hosts_degraded": point.hosts_degraded,
                "endpoints_lost": point.endpoints_lost,
            }
            for point in weak.points
        ],
    }


def measures_text(record: dict[str, Any]) -> str:
    """The same for a terminal."""
    load, paths, cut = (
        record["oversubscription"],
        record["paths_between_leaves"],
        record["bisection"],
    )
    exact = "" if record["hops_are_exact"] else ", from a sample of the leaves"
    lines = [
        "Measured on the built graph",
        f"  oversubscription    {load['worst']:.3g} : 1 worst, {load['typical']:.3g} : 1 typical",
        f"  hops                {record['mean_hops']:.3g} on average, {record['diameter']} at most"
        + exact,
        f"  paths of two leaves {paths['least']:,} to {paths['most']:,}",
        f"  bisection           {cut['links']:,} links, {cut['gbps']:,.0f} Gb/s ({cut['method']})",
        f"  parts that never meet {record['parts_that_never_meet']:,}",
    ]
    for point in record["weak_points"]:
        what = f"{point['name'].replace('_', '-')}{' link' if point['is_link'] else ''}"
        lines.append(
            f"  losing one {what}: {point['hosts_cut_off']:,} hosts cut off, "
            f"{point['hosts_degraded']:,} with fewer ports, {point['endpoints_lost']:,} ports lost"
        )
    return "\n".join(lines)
