"""A lossless plan as SONiC reads it: a fragment of config_db.json, and what the hosts must say.

``config load`` lays the fragment over what the switch has; tables and fields are those of SONiC's
YANG models. The maps keep SONiC's own name, AZURE, so that they replace the shipped ones instead
of standing beside them. Port names count lanes as SONiC does; compare them with the switch.
"""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from netdesign.errors import DesignError
from netdesign.lossless.choice import number
from netdesign.network.lossless.headroom import Headroom

if TYPE_CHECKING:
    from netdesign.lossless import LosslessPlan, SwitchPlan

Tables = dict[str, dict[str, dict[str, str]]]

MAP = "AZURE"
LOSSLESS_POOL, EGRESS_POOL = "ingress_lossless_pool", "egress_lossless_pool"
LOSSY_IN, LOSSY_OUT, LOSSLESS_OUT = (
    "ingress_lossy_profile",
    "egress_lossy_profile",
    "egress_lossless_profile",
)
WRED = "AZURE_LOSSLESS"
CAGE_LANES = 8
CLASSES = 8
CODE_POINTS = 64
LARGEST_MTU = 9216  # of SONiC's schema
_LONGEST_MS = {"detection_time": 5000, "restoration_time": 60_000}


def sonic_config(
    plan: LosslessPlan, role: str = "leaf", ports: Sequence[str] | None = None
) -> Tables:
    """The fragment for one kind of switch of the plan.

    Parameters
    ----------
    plan : LosslessPlan
    role : str                      leaf, spine or core
    ports : sequence of str or None names of the ports, those with the first cable first; counted
                                    in lanes if None

    Raises
    ------
    DesignError                     when the fabric has no such switch, the chip's buffer is not
                                    published or too small, an MTU is beyond SONiC's schema,
                                    or there are not as many names as ports
    """
    switch = plan.switch(role)
    _check(plan)
    if switch.fit is None:
        raise DesignError(
            "chip", plan.chip.name, "has no published buffer", "name a chip whose buffer is known"
        )
    if not switch.fit.fits:
        raise DesignError(
            "headroom",
            f"{switch.fit.pool + switch.fit.kept:,.0f} bytes",
            f"do not fit into the {switch.fit.buffer:,.0f} bytes of {plan.chip.name}",
            "share the headroom, shorten the cables or make fewer priorities lossless",
        )
    names = list(ports) if ports is not None else port_names(switch.ports, plan.ports_per_cage)
    if len(names) != switch.ports:
        raise DesignError("ports", len(names), "is the wrong number", f"give {switch.ports} names")
    lengths, profiles = _cables(switch, plan, names)
    tables: Tables = {
        "PORT": {name: {"mtu": f"{plan.settings.mix.port_mtu:.0f}"} for name in names},
        "CABLE_LENGTH": {MAP: lengths},
        "LOSSLESS_TRAFFIC_PATTERN": {MAP: _pattern(plan)},
        "BUFFER_POOL": _pools(switch, plan),
        "BUFFER_PROFILE": _profiles(switch, plan),
        "BUFFER_PG": _groups(plan, names, profiles),
        "BUFFER_QUEUE": _queues_of_buffers(plan, names),
    }
    tables |= _maps(plan) | _ports_and_queues(plan, names) | _watchdog(plan, names)
    return tables


def sonic_json(tables: Tables) -> str:
    """The fragment as text."""
    return json.dumps(tables, indent=2) + "\n"


def port_names(count: int, per_cage: int = 1) -> list[str]:
    """Names of ports in lanes of a cage: Ethernet0, Ethernet4, ... where a cage splits in two."""
    step = max(1, CAGE_LANES // per_cage)
    return [f"Ethernet{step * index}" for index in range(count)]


def host_notes(plan: LosslessPlan) -> tuple[str, ...]:
    """What every host must say so that its packets meet the lossless class; commands and why."""
    chosen, priority = plan.traffic_class, plan.priorities[0]
    enabled = ",".join("1" if each in plan.priorities else "0" for each in range(CLASSES))
    return (
        f"export NCCL_IB_TC={chosen.byte}    # DSCP {chosen.dscp}, the same in every job",
        "# and on each port of an adapter (here eth0 and mlx5_0), at every start:",
        f"mlnx_qos -i eth0 --trust dscp --pfc {enabled}",
        f"mlnx_qos -i eth0 --dscp2prio set,{chosen.dscp},{priority}",
        f"cma_roce_tos -d mlx5_0 -t {chosen.byte}",
        f"echo 1 > /sys/class/net/eth0/ecn/roce_np/enable/{priority}",
        f"echo 1 > /sys/class/net/eth0/ecn/roce_rp/enable/{priority}",
        f"ip link set eth0 mtu {plan.settings.mix.port_mtu:.0f}    # not above that of the switch",
    )


def _check(plan: LosslessPlan) -> None:
    for field in ("port_mtu", "lossless_mtu"):
        size = getattr(plan.settings.mix, field)
        if size > LARGEST_MTU:
            raise DesignError(field, size, "is more than SONiC takes", f"give up to {LARGEST_MTU}")
    if plan.chip.queues == "virtual":
        raise DesignError(
            "chip",
            plan.chip.name,
            "has virtual queues for every port of a chassis, which this fragment does not name",
            "take the vendor's own template",
        )
    if len(plan.priorities) == CLASSES:
        raise DesignError(
            "priorities", "all", "are lossless and leave none for other traffic", "leave one out"
        )


def switch_notes(name: str) -> tuple[str, ...]:
    """What to mind when the fragment is laid over a switch."""
    return (
        f"sudo config load {shlex.quote(name)} -y && sudo config save -y",
        "# port names count the lanes of cages with 8: compare with show interfaces status",
        "# sizes of pools are for the traditional buffer model; the dynamic one computes its own",
    )


def _cables(
    switch: SwitchPlan, plan: LosslessPlan, names: Sequence[str]
) -> tuple[dict[str, str], list[str]]:
    """Length and buffer profile of every port, in whole metres."""
    length = {tier.name: math.ceil(tier.length) for tier in plan.tiers}
    lengths, profiles = {}, []
    start = 0
    for group in switch.groups:
        for name in names[start : start + group.ports]:
            lengths[name] = f"{length[group.tier]}m"
            profiles.append(_profile_name(plan, length[group.tier]))
        start += group.ports
    return lengths, profiles


def _profile_name(plan: LosslessPlan, length: int) -> str:
    return f"pg_lossless_{plan.gbps * 1000:.0f}_{length}m_profile"


def _pattern(plan: LosslessPlan) -> dict[str, str]:
    mix = plan.settings.mix
    return {
        "mtu": f"{mix.lossless_mtu:.0f}",
        "small_packet_percentage": f"{100 * mix.small_share:.0f}",
    }


def _pools(switch: SwitchPlan, plan: LosslessPlan) -> dict[str, dict[str, str]]:
    """Queues share what is left; a pool of headroom that the chip counts inside is added."""
    fitted = switch.fit
    if fitted is None:
        return {}
    inside = plan.chip.pool_holds_headroom
    size = fitted.shared + (fitted.pool + fitted.kept if inside else 0.0)
    ingress = {"type": "ingress", "mode": "dynamic", "size": _whole(size)}
    if any(group.headroom.shares_pool for group in switch.groups):
        ingress["xoff"] = _whole(fitted.pool)
    egress = {"type": "egress", "mode": "dynamic", "size": _whole(fitted.buffer)}
    return {LOSSLESS_POOL: ingress, EGRESS_POOL: egress}


def _whole(size: float) -> str:
    return str(max(0, math.floor(size)))


def _profiles(switch: SwitchPlan, plan: LosslessPlan) -> dict[str, dict[str, str]]:
    egress_power = str(int(number("egress_threshold")))
    rows = {
        LOSSY_IN: {"pool": LOSSLESS_POOL, "size": "0", "dynamic_th": "0"},
        LOSSY_OUT: {"pool": EGRESS_POOL, "size": "0", "dynamic_th": "0"},
        LOSSLESS_OUT: {"pool": EGRESS_POOL, "size": "0", "dynamic_th": egress_power},
    }
    length = {tier.name: math.ceil(tier.length) for tier in plan.tiers}
    # Tiers whose lengths round up to the same metres share a profile, that of the larger headroom.
    for group in sorted(switch.groups, key=lambda group: group.headroom.xoff):
        rows[_profile_name(plan, length[group.tier])] = _lossless(group.headroom, plan)
    return rows


def _lossless(headroom: Headroom, plan: LosslessPlan) -> dict[str, str]:
    row = {
        "pool": LOSSLESS_POOL,
        "size": str(math.ceil(headroom.size)),
        "xon": str(math.ceil(headroom.xon)),
        "xoff": str(math.ceil(headroom.xoff)),
        "dynamic_th": str(plan.settings.alpha_power),
    }
    if headroom.xon_offset is not None:
        row["xon_offset"] = str(math.ceil(headroom.xon_offset))
    return row


def _groups(
    plan: LosslessPlan, names: Sequence[str], profiles: Sequence[str]
) -> dict[str, dict[str, str]]:
    rows = {}
    lossy = _lossy_class(plan)
    for name, profile in zip(names, profiles, strict=True):
        rows[f"{name}|{lossy}"] = {"profile": LOSSY_IN}
        for span in _spans(plan.priorities):
            rows[f"{name}|{span}"] = {"profile": profile}
    return rows


def _queues_of_buffers(plan: LosslessPlan, names: Sequence[str]) -> dict[str, dict[str, str]]:
    others = [queue for queue in range(CLASSES) if queue not in plan.priorities]
    kinds = [(span, LOSSLESS_OUT) for span in _spans(plan.priorities)]
    kinds += [(span, LOSSY_OUT) for span in _spans(others)]
    return {f"{name}|{span}": {"profile": profile} for name in names for span, profile in kinds}


def _lossy_class(plan: LosslessPlan) -> int:
    """Class, group and queue of everything else: the lowest that is not lossless."""
    return min(each for each in range(CLASSES) if each not in plan.priorities)


def _spans(numbers: Iterable[int]) -> list[str]:
    """Runs of numbers as SONiC writes them: 3-4."""
    runs: list[list[int]] = []
    for each in sorted(numbers):
        if runs and each == runs[-1][1] + 1:
            runs[-1][1] = each
        else:
            runs.append([each, each])
    return [str(low) if low == high else f"{low}-{high}" for low, high in runs]


def _maps(plan: LosslessPlan) -> Tables:
    """Code point to class, class to priority group and queue; congestion notes in their own."""
    first, cnp = plan.priorities[0], int(number("cnp_priority"))
    lossy = _lossy_class(plan)
    classes = dict.fromkeys(range(CODE_POINTS), lossy)
    if cnp not in plan.priorities:
        classes[int(number("cnp_dscp"))] = cnp
    classes[plan.traffic_class.dscp] = first
    lossless = [str(each) for each in plan.priorities]
    tables = {
        "DSCP_TO_TC_MAP": {MAP: {str(dscp): str(each) for dscp, each in classes.items()}},
        "TC_TO_PRIORITY_GROUP_MAP": {
            MAP: {str(tc): str(tc if tc in plan.priorities else lossy) for tc in range(CLASSES)}
        },
        "TC_TO_QUEUE_MAP": {MAP: {str(tc): str(tc) for tc in range(CLASSES)}},
        "MAP_PFC_PRIORITY_TO_QUEUE": {MAP: {str(each): str(each) for each in range(CLASSES)}},
    }
    if plan.chip.vendor == "NVIDIA":
        tables["PFC_PRIORITY_TO_PRIORITY_GROUP_MAP"] = {MAP: {each: each for each in lossless}}
    return tables


def _ports_and_queues(plan: LosslessPlan, names: Sequence[str]) -> Tables:
    on = ",".join(map(str, plan.priorities))
    row = {
        "dscp_to_tc_map": MAP,
        "tc_to_pg_map": MAP,
        "tc_to_queue_map": MAP,
        "pfc_to_queue_map": MAP,
        "pfc_enable": on,
        "pfcwd_sw_enable": on,
    }
    if plan.chip.vendor == "NVIDIA":
        row["pfc_to_pg_map"] = MAP
    cnp = int(number("cnp_priority"))
    queues = {}
    for name in names:
        for queue in range(CLASSES):
            kind = 1 if queue in plan.priorities else 2 if queue == cnp else 0
            queues[f"{name}|{queue}"] = {"scheduler": f"scheduler.{kind}"}
            if queue in plan.priorities:
                queues[f"{name}|{queue}"]["wred_profile"] = WRED
    return {
        "PORT_QOS_MAP": {"global": {"dscp_to_tc_map": MAP}} | {name: dict(row) for name in names},
        "WRED_PROFILE": {WRED: _wred(plan)},
        "SCHEDULER": {
            "scheduler.0": {"type": "DWRR", "weight": f"{number('lossy_weight'):.0f}"},
            "scheduler.1": {"type": "DWRR", "weight": f"{number('lossless_weight'):.0f}"},
            "scheduler.2": {"type": "STRICT"},
        },
        "QUEUE": queues,
    }


def _wred(plan: LosslessPlan) -> dict[str, str]:
    marking = plan.marking
    low = math.floor(marking.begins)
    high = math.floor(marking.kmax if marking.kmax is not None else marking.begins)
    chance = f"{100 * (1.0 if marking.pmax is None else marking.pmax):.0f}"
    row = {"ecn": "ecn_all"}
    for colour in ("green", "yellow", "red"):
        row[f"wred_{colour}_enable"] = "true"
        row[f"{colour}_min_threshold"] = str(low)
        row[f"{colour}_max_threshold"] = str(high)
        row[f"{colour}_drop_probability"] = chance
    return row


def _watchdog(plan: LosslessPlan, names: Sequence[str]) -> Tables:
    """Times as ``pfcwd start_default`` gives them: longer on a switch with many ports."""
    times = (len(names) - 1) // int(number("watchdog_ports")) + 1
    base = number("watchdog_time") * 1000 * times
    poll = min(base, number("watchdog_longest_poll") * 1000)
    row = {"action": "drop"} | {
        field: f"{min(base, longest):.0f}" for field, longest in _LONGEST_MS.items()
    }
    return {
        "PFC_WD": {"GLOBAL": {"POLL_INTERVAL": f"{poll:.0f}"}} | {name: dict(row) for name in names}
    }
