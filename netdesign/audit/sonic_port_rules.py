"""Rules about single ports: PFC and its buffer, marking, watchdog, cable and MTU."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from netdesign.audit.sonic_complaint import (
    HEADROOM,
    JUDGEMENT,
    TEMPLATES,
    YANG,
    Complaint,
    error,
    listed,
    note,
    quoted,
    warning,
)
from netdesign.audit.sonic_ports import DYNAMIC, PortView
from netdesign.audit.sonic_tables import number_of
from netdesign.audit.sonic_view import SwitchView
from netdesign.catalog import data_directory
from netdesign.catalog.switch_chips import SwitchChip, switch_chips
from netdesign.errors import DesignError
from netdesign.lossless.choice import LosslessChoice, Settings, number, settled
from netdesign.lossless.methods import headrooms
from netdesign.lossless.remarks import size_words
from netdesign.network.lossless.headroom import FORMULA, ROWS

_TOLERANCE = 0.98  # of a headroom, for rounding
_SHORTEST_CABLE_M = 1e-9


def lists_can_be_read(view: SwitchView) -> Iterator[Complaint]:
    for port in view.ports:
        if port.bad_list:
            yield error(
                "priorities-cannot-be-read",
                f"{port.bad_list} is no list of priorities",
                "write 3 or 3,4",
                YANG,
                port.name,
            )


def pause_has_a_buffer(view: SwitchView) -> Iterator[Complaint]:
    anywhere = any(port.lossless_groups for port in view.ports)
    for port in view.pausing:
        yield from _bound_to_a_lossy_profile(port)
        missing = {each for each in port.paused if port.group_for(each) not in port.groups}
        if not missing:
            continue
        if not anywhere and view.tables.has("CABLE_LENGTH"):
            yield note(
                "buffer-left-to-the-manager",
                "no priority group names a lossless profile: the buffer manager of the switch "
                "makes them from speed and cable length",
                "check them on the switch: show priority-group persistent-watermark, mmuconfig -l",
                TEMPLATES,
            )
            return
        yield error(
            "pause-without-lossless-buffer",
            f"PFC is on for priority {listed(missing)} and its priority group has no headroom: "
            "what arrives after the pause is dropped",
            "bind a pg_lossless profile to the group in BUFFER_PG, or take the priority out of "
            "pfc_enable",
            TEMPLATES,
            port.name,
        )


def _bound_to_a_lossy_profile(port: PortView) -> Iterator[Complaint]:
    for priority in sorted(port.paused):
        group = port.group_for(priority)
        profile = port.groups.get(-1 if group is None else group)
        if profile is not None and not profile.is_lossless:
            yield error(
                "pause-without-lossless-buffer",
                f"PFC is on for priority {priority}, and its priority group {group} is bound to "
                f"{quoted(profile.name)}, which has no headroom (xoff): what arrives after the "
                "pause is dropped",
                "bind a pg_lossless profile to the group in BUFFER_PG, or take the priority out "
                "of pfc_enable",
                TEMPLATES,
                port.name,
            )


def buffer_has_a_pause(view: SwitchView) -> Iterator[Complaint]:
    for port in view.ports:
        idle = {group for group in port.lossless_groups if not port.priorities_for(group)}
        if idle:
            yield error(
                "lossless-without-pause",
                f"priority group {listed(idle)} has headroom and no priority with PFC: it never "
                "pauses its peer, and drops when it is full",
                "add the priority to pfc_enable of the port, or give the group a lossy profile",
                TEMPLATES,
                port.name,
            )


def cable_is_known(view: SwitchView) -> Iterator[Complaint]:
    for port in view.pausing:
        if port.length is None:
            yield warning(
                "cable-unknown",
                "PFC is on and CABLE_LENGTH gives the port no length in metres: the switch takes "
                "a default",
                "write the length, rounded up, e.g. 40m",
                YANG,
                port.name,
            )


def cable_is_that_of_the_design(view: SwitchView) -> Iterator[Complaint]:
    if view.plan is None:
        return
    lengths = sorted(tier.length for tier in view.plan.tiers)
    known = [(port.name, port.length) for port in view.pausing if port.length is not None]
    for name, length in known:
        if length < lengths[0] - _SHORTEST_CABLE_M:
            yield error(
                "cable-longer-than-configured",
                f"the port is set for {length:g} m and the shortest cable of the design is "
                f"{lengths[0]:g} m: the headroom is too small",
                f"set at least {lengths[0]:g}m",
                HEADROOM,
                name,
            )
    yield from _enough_long_ports(view, [length for _, length in known], lengths)


def _enough_long_ports(
    view: SwitchView, set_for: list[float], lengths: list[float]
) -> Iterator[Complaint]:
    """Is there a port for each of the longest cables that any switch of the design has?"""
    if view.plan is None or lengths[0] == lengths[-1] or not set_for:
        return
    tiers = {tier.name for tier in view.plan.tiers if tier.length == lengths[-1]}
    wanted = [
        (count, switch.role)
        for switch in view.plan.switches
        if (count := sum(group.ports for group in switch.groups if group.tier in tiers))
    ]
    fewest, role = min(wanted)
    enough = sum(length >= lengths[-1] for length in set_for)
    if enough < fewest:
        yield warning(
            "too-few-ports-for-the-longest-cable",
            f"{enough or 'no'} port{'s' if enough != 1 else ''} set for {lengths[-1]:g} m or more, "
            f"and a {role} of the design has {fewest} cables of {lengths[-1]:g} m",
            f"set the ports between switches to {lengths[-1]:g}m",
            HEADROOM,
        )


def profile_suits_the_port(view: SwitchView) -> Iterator[Complaint]:
    for port in view.ports:
        for profile in port.lossless_groups.values():
            if profile.made_for is None:
                continue
            gbps, length = profile.made_for
            if port.length is not None and length < port.length:
                yield error(
                    "profile-for-a-shorter-cable",
                    f"profile {quoted(profile.name)} is made for {length:g} m and the cable has "
                    f"{port.length:g} m",
                    f"bind the profile for {port.length:g} m",
                    TEMPLATES,
                    port.name,
                )
            if port.gbps is not None and gbps != port.gbps:
                yield error(
                    "profile-for-another-speed",
                    f"profile {quoted(profile.name)} is made for {gbps:g} Gb/s and the port runs "
                    f"at {port.gbps:g} Gb/s",
                    f"bind the profile for {port.gbps:g} Gb/s",
                    TEMPLATES,
                    port.name,
                )


def headroom_is_enough(view: SwitchView) -> Iterator[Complaint]:
    chips = [view.chip] if view.chip is not None else list(switch_chips(data_directory()).values())
    least: dict[tuple[float, float], tuple[float, str] | None] = {}
    for port in view.ports:
        for profile in port.lossless_groups.values():
            gbps = port.gbps or (profile.made_for[0] if profile.made_for else None)
            gbps = gbps or (view.plan.gbps if view.plan else None)
            if not gbps or port.length is None or profile.xoff is None:
                continue
            key = (gbps, port.length)
            if key not in least:
                least[key] = _least_headroom(view, chips, *key)
            found = least[key]
            if found is None or profile.xoff >= _TOLERANCE * found[0]:
                continue
            need, chip = found
            needs = (
                f"{chip} needs {size_words(need)} by the least that is published or computed"
                if view.chip is not None
                else f"the chip is unknown: the least of all known chips, {chip}, needs "
                f"{size_words(need)}"
            )
            yield warning(
                "headroom-too-small",
                f"{size_words(profile.xoff)} of headroom at {gbps:g} Gb/s and "
                f"{port.length:g} m, and {needs}",
                f"give xoff at least {need:,.0f} B",
                HEADROOM,
                port.name,
            )


def _least_headroom(
    view: SwitchView, chips: Iterable[SwitchChip], gbps: float, length: float
) -> tuple[float, str] | None:
    """The smallest of the chips' own formulas and published rows, and the chip; None without."""
    settings = view.plan.settings if view.plan is not None else _shipped(view)
    if settings is None:
        return None
    sizes = [
        (each.xoff, chip.name)
        for chip in chips
        for each in headrooms(chip, gbps, length, settings)
        if each.method in (FORMULA, ROWS)
    ]
    return min(sizes, default=None)


def _shipped(view: SwitchView) -> Settings | None:
    """Packet mix of the file itself, else the shipped one."""
    rows = list(view.tables.table("LOSSLESS_TRAFFIC_PATTERN").values())
    row: Mapping[str, str] = rows[0] if rows else {}
    mtu = number_of(row.get("mtu")) or number("shipped_lossless_mtu")
    share = number_of(row.get("small_packet_percentage"))
    try:
        return settled(
            LosslessChoice(
                lossless_mtu=mtu, small_packet_share=None if share is None else share / 100
            )
        )
    except DesignError:
        return None


def mtu_is_one_and_enough(view: SwitchView) -> Iterator[Complaint]:
    sizes = {port.name: number_of(port.port.get("mtu")) for port in view.pausing}
    known = {name: size for name, size in sizes.items() if size is not None}
    if not known:
        return
    usual = Counter(known.values()).most_common(1)[0][0]
    least = view.frame
    for name, size in known.items():
        if size != usual:
            yield warning(
                "mtu-differs",
                f"the port has an MTU of {size:g} B and most have {usual:g} B: larger frames are "
                "dropped there, and no pause helps",
                f"set {usual:g}",
                JUDGEMENT,
                name,
            )
        if size < least:
            yield error(
                "mtu-too-small",
                f"an MTU of {size:g} B does not carry RoCE frames of {least:g} B with headers",
                f"set at least {least:g}; SONiC's own default is {number('port_mtu'):g}",
                JUDGEMENT,
                name,
            )


def pattern_suits_the_frames(view: SwitchView) -> Iterator[Complaint]:
    computed = any(
        profile.name == DYNAMIC for port in view.ports for profile in port.lossless_groups.values()
    )
    wanted = view.plan.settings.mix.lossless_mtu if view.plan else number("lossless_mtu")
    for row in view.tables.table("LOSSLESS_TRAFFIC_PATTERN").values():
        size = number_of(row.get("mtu"))
        if size is not None and size < wanted:
            make = warning if computed else note
            yield make(
                "headroom-made-for-small-frames",
                f"headroom is computed for lossless frames of {size:g} B and RoCE sends up to "
                f"{wanted:g} B",
                f"set mtu in LOSSLESS_TRAFFIC_PATTERN to {wanted:g}",
                TEMPLATES,
            )


PORT_RULES = (
    lists_can_be_read,
    pause_has_a_buffer,
    buffer_has_a_pause,
    cable_is_known,
    cable_is_that_of_the_design,
    profile_suits_the_port,
    headroom_is_enough,
    mtu_is_one_and_enough,
    pattern_suits_the_frames,
)
