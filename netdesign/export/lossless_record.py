"""A lossless plan as plain values and as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from netdesign import units
from netdesign.lossless.remarks import size_words
from netdesign.network.lossless.remark import Remark

if TYPE_CHECKING:
    from netdesign.lossless import LosslessPlan, SwitchPlan, Tier
    from netdesign.network.lossless.ecn import Marking


def lossless_record(plan: LosslessPlan) -> dict[str, Any]:
    """Every number of a plan; bytes, metres and seconds, units in the names."""
    chosen = plan.traffic_class
    return {
        "design": plan.design.name,
        "chip": plan.chip.name,
        "link_gbps": plan.gbps,
        "lossless_priorities": list(plan.priorities),
        "traffic_class": {"byte": chosen.byte, "dscp": chosen.dscp, "ecn_bits": chosen.ecn},
        "packet_mix": {
            "port_mtu_bytes": plan.settings.mix.port_mtu,
            "lossless_mtu_bytes": plan.settings.mix.lossless_mtu,
            "small_packet_share": plan.settings.mix.small_share,
        },
        "tiers": [_tier(tier) for tier in plan.tiers],
        "switches": [_switch(switch) for switch in plan.switches],
        "marking": {"taken": plan.marking.id, "all": [_marking(each) for each in plan.markings]},
        "bandwidth_delay_bytes": plan.bandwidth_delay,
        "senders": [asdict(entry) for entry in plan.senders],
        "remarks": remark_rows(plan.remarks),
    }


def remark_rows(remarks: Sequence[Remark]) -> list[dict[str, str]]:
    """Remarks as plain values."""
    return [asdict(remark) for remark in remarks]


def lossless_text(plan: LosslessPlan) -> str:
    """A plan as a person reads it in a shell."""
    chosen, mix = plan.traffic_class, plan.settings.mix
    lossless = " and ".join(map(str, plan.priorities))
    lines = [
        plan.design.name,
        "",
        f"Chip               {plan.chip.name}, links of {plan.gbps:g} Gb/s",
        f"Lossless priority  {lossless}; NCCL_IB_TC={chosen.byte}, DSCP {chosen.dscp}",
        f"Packets            MTU {mix.port_mtu:g} B, lossless {mix.lossless_mtu:g} B, "
        f"{mix.small_share:.0%} small",
        f"In flight          {size_words(plan.bandwidth_delay)} in "
        f"{units.seconds_to_microseconds(plan.settings.round_trip):g} us",
        "",
        "Headroom of one lossless priority of one port",
        *(line for tier in plan.tiers for line in _tier_lines(tier)),
        "",
        "Buffer of a switch",
        *(line for switch in plan.switches for line in _switch_lines(switch)),
        "",
        "Where a queue begins to mark, and where it marks most",
        "  (* taken; late: a port pauses first when all lossless groups of a switch fill at once)",
        *(_marking_line(each, plan) for each in plan.markings),
        "",
        "Remarks",
        *remark_lines(plan.remarks),
    ]
    return "\n".join(lines)


def remark_lines(remarks: Sequence[Remark]) -> list[str]:
    """Remarks as lines: what, then what would be right and who says so."""
    lines = []
    for remark in remarks:
        where = f" [{remark.where}]" if remark.where else ""
        lines.append(f"  {remark.severity:<8} {remark.sentence}{where}")
        lines.append(f"           -> {remark.fix} ({remark.source}, {remark.grade})")
    return lines


def _tier_lines(tier: Tier) -> list[str]:
    taken = tier.headroom
    lines = [
        f"  {tier.name:<16} {tier.length:>6g} m  xoff {size_words(taken.xoff):>9}  "
        f"xon {size_words(taken.xon):>9}  kept {size_words(taken.size):>9}  ({taken.grade})",
        f"    {taken.how}",
    ]
    lines += [f"    {other.method}: {size_words(other.xoff)}, {other.how}" for other in tier.others]
    return lines


def _switch_lines(switch: SwitchPlan) -> list[str]:
    if switch.fit is None:
        return [f"  {switch.role:<6} {switch.ports} ports; the chip's buffer is not published"]
    fit = switch.fit
    each = switch.buffer_per_port or 0.0
    return [
        f"  {switch.role:<6} {switch.ports} ports, {size_words(fit.buffer)} "
        f"({size_words(each)} a port): headroom {size_words(fit.needed)} in "
        f"{size_words(fit.pool)} ({fit.oversubscription:.2f} times), "
        f"{size_words(fit.shared)} for queues",
        f"         a group pauses at {size_words(switch.pause_alone or 0.0)} alone and at "
        f"{size_words(switch.pause_bound or 0.0)} with all others; "
        f"mark below {size_words(switch.mark_bound or 0.0)}",
    ]


def _marking_line(marking: Marking, plan: LosslessPlan) -> str:
    bound = plan.mark_bound
    taken = "*" if marking.id == plan.marking.id else " "
    low = "?" if marking.kmin is None else size_words(marking.kmin)
    high = "?" if marking.kmax is None else size_words(marking.kmax)
    chance = "?" if marking.pmax is None else f"{marking.pmax:.0%}"
    late = "" if bound is None or marking.begins < bound else "  late"
    return (
        f"  {taken} {marking.name:<34} {low:>9} {high:>9} {chance:>5}  {marking.meant_for}"
        f" ({marking.grade}){late}"
    )


def _tier(tier: Tier) -> dict[str, Any]:
    return {
        "tier": tier.name,
        "length_m": tier.length,
        "headroom": asdict(tier.headroom),
        "other_methods": [asdict(other) for other in tier.others],
    }


def _switch(switch: SwitchPlan) -> dict[str, Any]:
    return {
        "role": switch.role,
        "ports": switch.ports,
        "cables": [{"tier": group.tier, "ports": group.ports} for group in switch.groups],
        "fit": None if switch.fit is None else asdict(switch.fit),
        "buffer_per_port_bytes": switch.buffer_per_port,
        "pause_alone_bytes": switch.pause_alone,
        "pause_bound_bytes": switch.pause_bound,
        "mark_bound_bytes": switch.mark_bound,
    }


def _marking(marking: Marking) -> dict[str, Any]:
    return asdict(marking)
