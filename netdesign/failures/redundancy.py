"""Two leaves for each port, or two planes: does what they save pay for what they cost?"""

from __future__ import annotations

from dataclasses import dataclass, replace

from netdesign.arrays import as_float
from netdesign.congestion.scene import USUAL, Conditions
from netdesign.economics.cost import capital_recovery_factor
from netdesign.errors import DesignError
from netdesign.evaluate import Evaluation
from netdesign.fabrics import spec_of
from netdesign.failures.outcome import SECONDS_PER_MONTH, Outcome, Stage, outcome, stage_of
from netdesign.failures.scenario import broken
from netdesign.performance.goodput import both_sides_down
from netdesign.reliability import link_failures_per_s
from netdesign.topology.families import size
from netdesign.topology.spec import FabricCounts, FabricSpec
from netdesign.units import SECONDS_PER_HOUR

HOMES = 2
OWN, DUAL_TOR, TWO_PLANES = "as designed", "dual ToR", "two planes"
_LINKS = ("cable", "uplink")
_MONTHS = 12


@dataclass(frozen=True, eq=False)
class Choice:
    """A fabric for the same GPUs: what its failures cost in a month, and what it costs more."""

    name: str  # as designed | dual ToR | two planes
    spec: FabricSpec | None
    problem: str  # why it cannot be built; empty if it can
    counts: FabricCounts | None = None
    outcomes: tuple[Outcome, ...] = ()
    both_sides_per_month: float = 0.0  # stops because both ports of a NIC are down at once
    gpus: int = 0
    usd_per_gpu_hour: float = 0.0
    extra_usd: float | None = 0.0  # over the design's fabric; None: a part has no price
    extra_usd_per_month: float | None = 0.0

    @property
    def stops_per_month(self) -> float:
        """Stops of the job by cables and switches."""
        return self.both_sides_per_month + sum(
            found.stops_per_month or 0.0 for found in self.outcomes
        )

    @property
    def lost_s_per_month(self) -> float:
        """Time of the whole job lost to broken cables and switches."""
        stop = self.outcomes[0].stop_cost_s if self.outcomes else 0.0
        return self.both_sides_per_month * stop + sum(
            (found.failures_per_month or 0.0) * found.lost_s for found in self.outcomes
        )

    @property
    def lost_share(self) -> float:
        """Of the time."""
        return min(1.0, self.lost_s_per_month / SECONDS_PER_MONTH)

    @property
    def lost_usd_per_month(self) -> float:
        """Worth of the GPU time lost."""
        return self.lost_s_per_month / SECONDS_PER_HOUR * self.gpus * self.usd_per_gpu_hour

    def pays_over(self, own: Choice) -> bool | None:
        """Whether it saves more than it costs; None where a price is missing."""
        if self.extra_usd_per_month is None or self.problem:
            return None
        return own.lost_usd_per_month - self.lost_usd_per_month > self.extra_usd_per_month


def redundancy(evaluation: Evaluation, conditions: Conditions = USUAL) -> tuple[Choice, ...]:
    """The design's own fabric, dual top-of-rack switches, and two planes.

    Both give each NIC two ports of half the speed, so the bandwidth of a healthy fabric stays the
    same, and need a second cable for each. Extra cables and switches are charged at what those
    of the design cost each.

    Parameters
    ----------
    evaluation : Evaluation
    conditions : Conditions

    Returns
    -------
    tuple of Choice     the design's own first

    Raises
    ------
    DesignError         when the design's fabric cannot be built
    """
    specs = alternatives(evaluation)
    own = _choice(evaluation, conditions, OWN, specs[OWN], None)
    others = [
        _choice(evaluation, conditions, name, spec, own.counts)
        for name, spec in specs.items()
        if name != OWN
    ]
    return (own, *others)


def alternatives(evaluation: Evaluation) -> dict[str, FabricSpec]:
    """The design's own fabric, and those with two ports of half the speed at each NIC."""
    spec = spec_of(evaluation)
    split = replace(spec, endpoint_gbps=spec.port_gbps / HOMES)
    return {
        OWN: spec,
        DUAL_TOR: replace(split, dual_tor=True),
        TWO_PLANES: replace(split, family="multi-plane", planes=HOMES),
    }


def monthly_cost(evaluation: Evaluation, extra_usd: float) -> float:
    """What a purchase costs in a month: capital and operations."""
    money = evaluation.design.economics
    yearly = as_float(capital_recovery_factor(money.interest_rate, money.amortisation_years))
    return extra_usd * (yearly + money.operations_share) / _MONTHS


def _choice(
    evaluation: Evaluation,
    conditions: Conditions,
    name: str,
    spec: FabricSpec,
    own: FabricCounts | None,
) -> Choice:
    try:
        counts = size(spec)
        if not counts.buildable:
            return Choice(name, spec, counts.reason)
        stage = stage_of(evaluation, conditions, None if own is None else spec)
    except DesignError as error:
        return Choice(name, spec, str(error))
    design = evaluation.design
    extra = 0.0 if own is None else _extra_usd(evaluation, counts, own)
    return Choice(
        name=name,
        spec=spec,
        problem="",
        counts=counts,
        outcomes=_outcomes(stage),
        both_sides_per_month=_both_sides(evaluation, counts) if stage.nic_ports > 1 else 0.0,
        gpus=design.cluster.gpus,
        usd_per_gpu_hour=design.economics.rental_usd_per_gpu_hour,
        extra_usd=extra,
        extra_usd_per_month=None if extra is None else monthly_cost(evaluation, extra),
    )


def _outcomes(stage: Stage) -> tuple[Outcome, ...]:
    """Every kind of cable and switch of the fabric, one of each broken."""
    fabric = stage.fabric
    tiers = [name for index, name in enumerate(fabric.tier_names) if (fabric.tier == index).any()]
    words = [*(_LINKS if len(tiers) > 1 else _LINKS[:1]), *tiers]
    return tuple(outcome(stage, broken(fabric, word, nic_ports=stage.nic_ports)) for word in words)


def _both_sides(evaluation: Evaluation, counts: FabricCounts) -> float:
    """Stops in a month because the second port of a NIC fails while the first is repaired."""
    repair = evaluation.design.reliability.repair_hours * SECONDS_PER_HOUR
    down = as_float(both_sides_down(link_failures_per_s(evaluation.design), repair))
    return counts.host_links / HOMES * HOMES * down / repair * SECONDS_PER_MONTH


def _extra_usd(evaluation: Evaluation, counts: FabricCounts, own: FabricCounts) -> float | None:
    """Price of the cables and switches that the design's fabric does not have."""
    rows = [row for row in evaluation.bom.rows if row.network]
    more = counts.total_switches - own.total_switches
    switch = next((row.unit_price_usd for row in rows if row.kind == "switch"), None)
    total = 0.0
    if more:
        if switch is None:
            return None
        total += more * switch
    for place, count in (
        (("access", "server"), counts.host_links - own.host_links),
        (("leaf-spine", "spine-core"), counts.inter_switch_links - own.inter_switch_links),
    ):
        parts = [row for row in rows if row.place in place and row.kind in ("transceiver", "cable")]
        if not count:
            continue
        if not parts or any(row.total_usd is None for row in parts):
            return None
        links = own.host_links if "access" in place else own.inter_switch_links
        total += count * sum(row.total_usd or 0.0 for row in parts) / links
    return total
