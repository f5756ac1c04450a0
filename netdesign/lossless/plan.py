"""The plan: tiers of cables, switches with their buffers, marking, classes and remarks."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from netdesign import units
from netdesign.catalog import data_directory
from netdesign.catalog.switch_chips import (
    SwitchChip,
    chip_named,
    dcqcn_rows,
    ecn_rows,
    switch_chips,
)
from netdesign.design import Design
from netdesign.errors import DesignError
from netdesign.evaluate import Evaluation, evaluate
from netdesign.lossless.choice import LosslessChoice, Settings, settled
from netdesign.lossless.methods import headroom
from netdesign.network.lossless.dcqcn import SenderSet, sender_sets
from netdesign.network.lossless.ecn import (
    Marking,
    bandwidth_delay_product,
    ecn_threshold_bound,
    markings,
    pfc_threshold_bound,
)
from netdesign.network.lossless.headroom import Headroom
from netdesign.network.lossless.remark import Remark
from netdesign.network.lossless.shared_buffer import (
    BufferFit,
    PortGroup,
    buffer_per_port,
    dynamic_threshold,
    fit,
)
from netdesign.network.lossless.traffic_class import TrafficClass
from netdesign.order import parts_of
from netdesign.topology.fabric import FabricSize

ACCESS, SPINE, CORE = "server to leaf", "leaf to spine", "spine to core"


@dataclass(frozen=True)
class Tier:
    """Cables of one kind, and the headroom at either end of them."""

    name: str
    length: float  # m
    headroom: Headroom
    others: tuple[Headroom, ...]  # what the methods that were not taken say


@dataclass(frozen=True)
class SwitchPlan:
    """One kind of switch: its ports, its buffer and where it pauses and may mark; bytes."""

    role: str  # leaf, spine or core
    groups: tuple[PortGroup, ...]
    fit: BufferFit | None  # None where the buffer of the chip is not published
    pause_alone: float | None  # threshold of a group that fills alone
    pause_bound: float | None  # threshold at which all groups can still pause in time
    mark_bound: float | None  # marking below it begins before any pause

    @property
    def ports(self) -> int:
        return sum(group.ports for group in self.groups)

    @property
    def buffer_per_port(self) -> float | None:
        """An even share of the buffer, bytes."""
        if self.fit is None:
            return None
        return float(buffer_per_port(self.fit.buffer, self.ports))


@dataclass(frozen=True)
class LosslessPlan:
    """Everything that a lossless class needs on the switches and hosts of a design."""

    design: Design
    choice: LosslessChoice
    settings: Settings
    chip: SwitchChip
    gbps: float
    ports_per_cage: int  # links that one cage of the switch splits into
    traffic_class: TrafficClass
    tiers: tuple[Tier, ...]
    switches: tuple[SwitchPlan, ...]
    markings: tuple[Marking, ...]  # every recommendation
    marking: Marking  # the one that is taken
    bandwidth_delay: float  # bytes
    senders: tuple[SenderSet, ...]
    remarks: tuple[Remark, ...] = ()

    @property
    def priorities(self) -> tuple[int, ...]:
        return self.settings.priorities

    @property
    def mark_bound(self) -> float | None:
        """The lowest bound of all switches, bytes."""
        bounds = [entry.mark_bound for entry in self.switches if entry.mark_bound is not None]
        return min(bounds, default=None)

    def switch(self, role: str) -> SwitchPlan:
        """The switch of this role.

        Raises
        ------
        DesignError     when the fabric has none
        """
        for entry in self.switches:
            if entry.role == role:
                return entry
        known = ", ".join(entry.role for entry in self.switches)
        raise DesignError("switch", role, "is not in this fabric", f"there are {known}")


def lossless_plan(
    source: Design | Evaluation, choice: LosslessChoice | None = None
) -> LosslessPlan:
    """The lossless class of a design.

    Parameters
    ----------
    source : Design or Evaluation
    choice : LosslessChoice         what the planner sets; the rest is the design's or the data's

    Raises
    ------
    DesignError     for a fabric that is not Ethernet, a setting out of range, or a chip, speed and
                    length for which no headroom is published
    """
    from netdesign.lossless.remarks import remarks_of

    choice = choice or LosslessChoice()
    settings = settled(choice)
    evaluation = source if isinstance(source, Evaluation) else evaluate(source)
    design, parts = evaluation.design, parts_of(evaluation.design)
    chip = _chip(design, choice)
    gbps = choice.gbps or parts.link_gbps
    tiers = _tiers(evaluation, chip, gbps, choice, settings)
    switches = _switches(evaluation.fabric, tiers, chip, choice, settings)
    found = markings(ecn_rows(data_directory()).values(), gbps, _queue_share(switches, chip))
    plan = LosslessPlan(
        design=design,
        choice=choice,
        settings=settings,
        chip=chip,
        gbps=gbps,
        ports_per_cage=max(1, round(parts.switch.radix(parts.link_gbps) / parts.switch.ports)),
        traffic_class=TrafficClass(settings.traffic_class),
        tiers=tiers,
        switches=switches,
        markings=found,
        marking=_marking(found, switches, choice),
        bandwidth_delay=float(
            bandwidth_delay_product(units.gbps_to_bytes_per_second(gbps), settings.round_trip)
        ),
        senders=sender_sets(dcqcn_rows(data_directory()), gbps),
    )
    return replace(plan, remarks=remarks_of(plan))


def _chip(design: Design, choice: LosslessChoice) -> SwitchChip:
    chips = switch_chips(data_directory())
    if choice.chip:
        return chip_named(chips, choice.chip)
    switch = parts_of(design).switch
    if switch.technology != "ethernet":
        raise DesignError(
            "network.switch",
            design.network.switch,
            "is InfiniBand, which is lossless by credits and needs no headroom",
            "choose an Ethernet switch, or name a chip",
        )
    for chip in chips.values():
        if chip.name == switch.asic:
            return chip
    raise DesignError(
        "network.switch",
        design.network.switch,
        f"has a chip with no published headroom ({switch.asic or 'not named'})",
        "name a chip: " + ", ".join(chips),
    )


def _tiers(
    evaluation: Evaluation,
    chip: SwitchChip,
    gbps: float,
    choice: LosslessChoice,
    settings: Settings,
) -> tuple[Tier, ...]:
    network, fabric = evaluation.design.network, evaluation.fabric
    between = choice.spine_length or network.spine_length_m
    lengths = {ACCESS: choice.access_length or network.access_length_m}
    if fabric.leaf_spine_links:
        lengths[SPINE] = between
    if fabric.spine_core_links:
        lengths[CORE] = between
    tiers = []
    for name, length in lengths.items():
        taken, others = headroom(chip, gbps, length, choice, settings)
        tiers.append(Tier(name, length, taken, others))
    return tuple(tiers)


def _switches(
    fabric: FabricSize,
    tiers: tuple[Tier, ...],
    chip: SwitchChip,
    choice: LosslessChoice,
    settings: Settings,
) -> tuple[SwitchPlan, ...]:
    links = {
        ACCESS: float(fabric.access_links),
        SPINE: float(fabric.leaf_spine_links),
        CORE: float(fabric.spine_core_links),
    }
    kinds = (
        ("leaf", float(fabric.leaves), (ACCESS, SPINE)),
        ("spine", float(fabric.spines), (SPINE, CORE)),
        ("core", float(fabric.cores), (CORE,)),
    )
    by_name = {tier.name: tier for tier in tiers}
    plans = []
    for role, count, ends in kinds:
        groups = tuple(
            PortGroup(name, math.ceil(links[name] / count), by_name[name].headroom)
            for name in ends
            if count and links[name]
        )
        if groups:
            plans.append(_switch(role, groups, chip, choice, settings))
    return tuple(plans)


def _switch(
    role: str,
    groups: tuple[PortGroup, ...],
    chip: SwitchChip,
    choice: LosslessChoice,
    settings: Settings,
) -> SwitchPlan:
    if chip.buffer_bytes is None:
        return SwitchPlan(role, groups, None, None, None, None)
    fitted = fit(
        groups,
        len(settings.priorities),
        chip.buffer_bytes,
        pool=chip.headroom_pool_bytes,
        oversubscribe=choice.oversubscribe,
    )
    alpha = 2.0**settings.alpha_power
    aside = fitted.pool + fitted.kept
    return SwitchPlan(
        role=role,
        groups=groups,
        fit=fitted,
        pause_alone=float(dynamic_threshold(fitted.shared, alpha, 1)),
        pause_bound=float(pfc_threshold_bound(fitted.buffer, aside, fitted.groups)),
        mark_bound=float(ecn_threshold_bound(fitted.buffer, aside, fitted.groups, alpha)),
    )


def _queue_share(switches: tuple[SwitchPlan, ...], chip: SwitchChip) -> float | None:
    """An even share of the buffer for each port, of the switch with most ports; bytes."""
    if chip.buffer_bytes is None:
        return None
    return chip.buffer_bytes / max(entry.ports for entry in switches)


def _marking(
    found: tuple[Marking, ...], switches: tuple[SwitchPlan, ...], choice: LosslessChoice
) -> Marking:
    """The one that is named; else the highest complete one that marks before any port pauses."""
    by_id = {entry.id: entry for entry in found}
    if choice.marking:
        if choice.marking not in by_id:
            known = ", ".join(by_id)
            raise DesignError("marking", choice.marking, "is not known", f"use one of {known}")
        return by_id[choice.marking]
    complete = [
        entry
        for entry in found
        if entry.kmin and entry.kmax and entry.pmax and entry.lossless_queue
    ]
    bounds = [entry.mark_bound for entry in switches if entry.mark_bound is not None]
    bound = min(bounds, default=0.0)
    early = [entry for entry in complete if entry.begins < bound]
    if early:
        return max(early, key=lambda entry: entry.begins)
    return min(complete, key=lambda entry: entry.begins)
