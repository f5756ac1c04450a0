"""Rules about classes: does NCCL reach the lossless queue, and does a pause stop that queue?"""

from __future__ import annotations

from collections.abc import Iterator

from netdesign.audit.sonic_complaint import (
    ADAPTERS,
    NCCL,
    TEMPLATES,
    YANG,
    Complaint,
    error,
    listed,
    note,
    quoted,
    warning,
)
from netdesign.audit.sonic_ports import PortView, different
from netdesign.audit.sonic_tables import Row, number_of
from netdesign.audit.sonic_view import SwitchView
from netdesign.lossless.choice import number

CLASSES = 8
CODE_POINTS = 64
HEAVIEST = 100  # weight of a scheduler, by the schema


def something_is_lossless(view: SwitchView) -> Iterator[Complaint]:
    if view.tables.has("PORT_QOS_MAP") and not view.pausing:
        yield warning(
            "nothing-is-lossless",
            "no port has PFC on any priority: RoCE loses packets here when queues fill",
            "put the RoCE priority into pfc_enable, or run a transport that recovers losses",
            TEMPLATES,
        )


def class_of_nccl_is_lossless(view: SwitchView) -> Iterator[Complaint]:
    if view.traffic_class is None:
        return
    byte, dscp = view.traffic_class.byte, view.traffic_class.dscp
    for port, names in different(view.pausing):
        lossless = _lossless_code_points(port)
        if not port.class_of_dscp:
            yield from _not_trusted(names)
        elif dscp not in lossless:
            better = f"NCCL_IB_TC={4 * min(lossless)} is lossless here" if lossless else ""
            yield error(
                "nccl-class-is-lossy",
                f"NCCL_IB_TC={byte} is DSCP {dscp}, which goes to {_destination(port, dscp)}: its "
                "packets are dropped when queues fill",
                f"map DSCP {dscp} to class {listed(port.paused)}"
                + (f"; or {better}" if better else ""),
                NCCL,
                *names,
            )
        elif view.traffic_class.ordinary_priority not in port.paused:
            yield note(
                "adapter-maps-elsewhere",
                f"an adapter sends DSCP {dscp} with priority "
                f"{view.traffic_class.ordinary_priority} unless told otherwise, and a pause here "
                f"is for priority {listed(port.paused)}",
                f"map DSCP {dscp} to priority {min(port.paused)} on every host",
                ADAPTERS,
                *names,
            )
    if view.traffic_class.ecn:
        yield note(
            "class-carries-ecn-bits",
            f"NCCL_IB_TC={byte} is DSCP {dscp} with the ECN bits at {view.traffic_class.ecn}",
            f"{byte - view.traffic_class.ecn} is the same class without them",
            NCCL,
        )


def _not_trusted(names: list[str]) -> Iterator[Complaint]:
    yield error(
        "dscp-not-trusted",
        "the port has no DSCP_TO_TC_MAP: every packet is of one class",
        "bind dscp_to_tc_map to the port or to global in PORT_QOS_MAP",
        TEMPLATES,
        *names,
    )


def _destination(port: PortView, dscp: int) -> str:
    traffic = port.class_for(dscp)
    if traffic is None:
        return "no class"
    return f"class {traffic}, priority group {_of(port.group_of_class, traffic)}"


def _of(row: Row, number_in: int) -> int:
    """Where a class goes; to its own number without a map, to 0 without an entry."""
    if not row:
        return number_in
    found = number_of(row.get(str(number_in)))
    return 0 if found is None else int(found)


def _lossless_code_points(port: PortView) -> set[int]:
    """Code points whose class ends in a priority group with headroom and PFC."""
    groups = {
        group
        for priority in port.paused
        if (group := port.group_for(priority)) is not None
        and (group in port.lossless_groups or not port.lossless_groups)
    }
    return {
        dscp
        for dscp in range(CODE_POINTS)
        if (traffic := port.class_for(dscp)) is not None
        and _of(port.group_of_class, traffic) in groups
    }


def lossless_class_is_used(view: SwitchView) -> Iterator[Complaint]:
    for port, names in different(view.pausing):
        if not port.class_of_dscp and view.traffic_class is None:
            yield from _not_trusted(names)
        elif port.class_of_dscp and not _lossless_code_points(port):
            yield error(
                "nothing-reaches-the-lossless-class",
                f"priority {listed(port.paused)} has PFC and no DSCP leads to it",
                "map the DSCP of RoCE to its class in DSCP_TO_TC_MAP, and the class to its "
                "priority group in TC_TO_PRIORITY_GROUP_MAP",
                TEMPLATES,
                *names,
            )


def classes_are_mapped(view: SwitchView) -> Iterator[Complaint]:
    """Without a map a chip may send every class to group 0 and queue 0."""
    for port in view.pausing:
        for field, table, what in (
            ("tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP", "priority group"),
            ("tc_to_queue_map", "TC_TO_QUEUE_MAP", "queue"),
        ):
            if not port.qos.get(field):
                yield warning(
                    "classes-without-a-map",
                    f"the port has PFC and no {field}: which {what} a class enters is left to the "
                    f"chip, and may be {what} 0 for all",
                    f"bind a row of {table} to the port in PORT_QOS_MAP, as SONiC's template does",
                    TEMPLATES,
                    port.name,
                )


def other_traffic_is_not_lossless(view: SwitchView) -> Iterator[Complaint]:
    ordinary = view.traffic_class is not None and view.traffic_class.dscp == 0
    for port, names in different(view.pausing):
        lossless = _lossless_code_points(port)
        if len(lossless) == CODE_POINTS:
            yield warning(
                "everything-is-lossless",
                f"all {CODE_POINTS} DSCP lead to a lossless class: storage, management and TCP "
                "share its buffer and pause one another",
                "map the DSCP of RoCE alone to the lossless class in DSCP_TO_TC_MAP",
                TEMPLATES,
                *names,
            )
        elif 0 in lossless and not ordinary:
            yield note(
                "ordinary-traffic-is-lossless",
                "DSCP 0 leads to a lossless class: whatever does not name a class shares its "
                "buffer",
                "map DSCP 0 to a lossy class, unless RoCE is sent with it",
                TEMPLATES,
                *names,
            )


def pause_stops_its_own_queue(view: SwitchView) -> Iterator[Complaint]:
    for port, names in different(view.pausing):
        for traffic in range(CLASSES):
            group, queue = _of(port.group_of_class, traffic), _of(port.queue_of_class, traffic)
            stopped = {port.queue_for(each) for each in port.priorities_for(group)}
            if stopped and group in port.lossless_groups and queue not in stopped:
                yield error(
                    "pause-stops-another-queue",
                    f"class {traffic} enters priority group {group} and leaves by queue {queue}, "
                    f"but a pause for it stops queue {_names(stopped)}",
                    "let TC_TO_QUEUE_MAP and MAP_PFC_PRIORITY_TO_QUEUE agree",
                    TEMPLATES,
                    *names,
                )


def _names(numbers: set[int | None]) -> str:
    return listed(each for each in numbers if each is not None) or "none"


def lossless_queue_does_not_drop(view: SwitchView) -> Iterator[Complaint]:
    for port in view.pausing:
        queues = view.tables.egress.get(port.name, {})
        for priority in sorted(port.paused):
            queue = port.queue_for(priority)
            profile = queues.get(-1 if queue is None else queue, "")
            if "lossy" in profile.lower():
                yield error(
                    "egress-drops-lossless",
                    f"lossless queue {queue} has a lossy buffer profile at its exit: it drops when "
                    "its share is full, whatever the entrance pauses",
                    "bind egress_lossless_profile to the queue in BUFFER_QUEUE",
                    TEMPLATES,
                    port.name,
                )


def not_too_many_are_lossless(view: SwitchView) -> Iterator[Complaint]:
    usual = int(number("ordinary_pfc_classes"))
    for port in view.pausing:
        if len(port.paused) > usual:
            yield warning(
                "many-lossless-priorities",
                f"PFC is on for {len(port.paused)} priorities, and each takes headroom",
                f"SONiC ships {usual}; training needs one",
                TEMPLATES,
                port.name,
            )


def lossless_queue_shares_the_port(view: SwitchView) -> Iterator[Complaint]:
    schedulers = view.tables.table("SCHEDULER")
    for port in view.pausing:
        for priority in sorted(port.paused):
            queue = port.queue_for(priority)
            row = port.queues.get(-1 if queue is None else queue, {})
            kind = schedulers.get(row.get("scheduler", ""), {}).get("type", "")
            if kind == "STRICT":
                yield note(
                    "lossless-queue-is-strict",
                    f"lossless queue {queue} has strict priority: it can starve every other queue",
                    "give it a DWRR scheduler with a weight",
                    TEMPLATES,
                    port.name,
                )


def weights_can_be_set(view: SwitchView) -> Iterator[Complaint]:
    for name, row in view.tables.table("SCHEDULER").items():
        given = row.get("weight")
        if given is None or row.get("type") == "STRICT":
            continue
        value = number_of(given)
        if value == 0:
            yield error(
                "weight-is-zero",
                "a scheduler has weight 0: its queues send nothing while any other does",
                f"give {HEAVIEST} at most and 1 at least",
                YANG,
                f"SCHEDULER {name}",
            )
        elif value is None or not 1 <= value <= HEAVIEST:
            yield error(
                "value-not-allowed",
                f"{quoted(given)} is no weight of a scheduler",
                f"give 1 to {HEAVIEST}",
                YANG,
                f"SCHEDULER {name}",
            )


CLASS_RULES = (
    something_is_lossless,
    class_of_nccl_is_lossless,
    lossless_class_is_used,
    classes_are_mapped,
    other_traffic_is_not_lossless,
    pause_stops_its_own_queue,
    lossless_queue_does_not_drop,
    not_too_many_are_lossless,
    lossless_queue_shares_the_port,
    weights_can_be_set,
)
