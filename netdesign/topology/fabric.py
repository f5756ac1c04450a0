"""What a fabric is made of, whichever family it belongs to."""

from __future__ import annotations

from dataclasses import dataclass

from netdesign.arrays import Numeric


@dataclass(frozen=True)
class FabricSize:
    """Counts of one fabric; numeric fields broadcast, text fields are of the whole array."""

    family: str
    endpoints: Numeric  # NIC ports
    radix: Numeric  # logical ports of a switch at link speed
    tiers: Numeric
    leaves: Numeric
    spines: Numeric
    cores: Numeric
    access_links: Numeric  # NIC port to leaf
    leaf_spine_links: Numeric
    spine_core_links: Numeric
    oversubscription: Numeric  # achieved, downlinks / uplinks of a leaf
    core_oversubscription: Numeric
    pod_gpus: Numeric  # GPUs that reach each other (same rail) without a tapered link
    stranded_ports: Numeric  # switch ports left empty
    largest: Numeric  # endpoints this family can reach with this radix and taper
    buildable: Numeric  # bool
    independent_fabrics: Numeric = 1  # rails or planes that do not meet
    reason: str = ""  # why it cannot be built, empty if it can

    @property
    def switches(self) -> Numeric:
        return self.leaves + self.spines + self.cores

    @property
    def links(self) -> Numeric:
        return self.access_links + self.leaf_spine_links + self.spine_core_links
