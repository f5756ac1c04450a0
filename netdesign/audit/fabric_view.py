"""What a picture of an audited network shows: its fabric, its names, and the links that are bad."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from netdesign.audit.cable_plan import Cable, PlanComparison
from netdesign.audit.found.link_checks import is_degraded
from netdesign.audit.found.network import FoundLink, FoundNetwork
from netdesign.audit.found.tiers import tiered
from netdesign.audit.found.to_fabric import found_fabric
from netdesign.audit.report import FileReport
from netdesign.topology.built import Fabric
from netdesign.topology.naming import device_names, port_names

_WRITTEN_BY_HAND = ("slurm-topology",)
MOST_LINKS = 200_000  # of a network that becomes a picture


@dataclass(frozen=True, eq=False)
class FabricView:
    """A fabric to draw."""

    fabric: Fabric
    names: list[str]  # of its devices
    bad: npt.NDArray[np.bool_]  # of its links
    caption: str


def view_of_report(report: FileReport) -> FabricView | None:
    """The network of one file; None where it holds none that can be drawn."""
    for kind, content in report.contents.items():
        network = getattr(content, "network", None)
        if isinstance(network, FoundNetwork) and 0 < len(network.links) <= MOST_LINKS:
            return view_of(network, judged=kind not in _WRITTEN_BY_HAND)
    return None


def view_of(network: FoundNetwork, *, judged: bool = True) -> FabricView | None:
    """A found network with the links that their ends, or like links, say are bad.

    Parameters
    ----------
    network : FoundNetwork
    judged : bool           False where what is said of a link is nobody's measurement
    """
    found = found_fabric(tiered(network))
    fabric = found.fabric
    if not fabric.links or not fabric.switches:
        return None
    slow = _slow_kinds(fabric)
    bad = np.array(
        [
            judged and (_is_bad(link) or kind in slow)
            for link, kind in zip(found.links, fabric.kind.tolist(), strict=True)
        ],
        dtype=bool,
    )
    count = int(bad.sum())
    said = "no link stands out" if not count else f"{count:,} of them stand out, drawn as broken"
    return FabricView(fabric, found.names, bad, f"As found: {fabric.links:,} links, {said}.")


def view_of_plan(plan: PlanComparison, fabric: Fabric) -> FabricView:
    """The planned fabric with the cables that are not where they should be."""
    wrong = {
        frozenset(cable)
        for cables in (
            plan.missing,
            [cable for pair in plan.swapped for cable in pair],
            [planned for planned, _ in plan.moved],
        )
        for cable in cables
    }
    names = device_names(fabric)
    cables = _cables(fabric, names)
    if plan.by_port:
        bad = np.array([frozenset(cable) in wrong for cable in cables], dtype=bool)
    else:
        pairs = {frozenset(device for device, _ in cable) for cable in wrong}
        bad = np.array([frozenset((a[0], b[0])) in pairs for a, b in cables], dtype=bool)
    count = int(bad.sum())
    said = "all in place" if not count else f"{count:,} not in place, drawn as broken"
    return FabricView(fabric, names, bad, f"As planned: {fabric.links:,} cables, {said}.")


def _cables(fabric: Fabric, names: Sequence[str]) -> list[Cable]:
    a = port_names(fabric, fabric.a_slot, fabric.a).tolist()
    b = port_names(fabric, fabric.b_slot, fabric.b).tolist()
    ends = zip(fabric.a.tolist(), a, fabric.b.tolist(), b, strict=True)
    return [((names[low], p), (names[high], q)) for low, p, high, q in ends]


def _is_bad(link: FoundLink) -> bool:
    differs = bool(link.speed and link.other_speed and link.speed != link.other_speed)
    return differs or link.one_sided or is_degraded(link)


def _slow_kinds(fabric: Fabric) -> set[int]:
    """Kinds below the commonest rate of their pair of tiers."""
    usual = {kind.name: kind.gbps for kind in fabric.kinds if "_at_" not in kind.name}
    return {
        place
        for place, kind in enumerate(fabric.kinds)
        if "_at_" in kind.name and kind.gbps < usual.get(kind.name.partition("_at_")[0], 0.0)
    }
