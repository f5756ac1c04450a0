"""Rules about buffer profiles and pools: can they be read, and do they pause before they drop?"""

from __future__ import annotations

from collections.abc import Iterator

from netdesign.audit.sonic_complaint import (
    HEADROOM,
    JUDGEMENT,
    PAPER,
    TEMPLATES,
    YANG,
    Complaint,
    error,
    note,
    quoted,
    warning,
)
from netdesign.audit.sonic_ports import Profile
from netdesign.audit.sonic_tables import Row, number_of
from netdesign.audit.sonic_view import HIGHEST_POWER, SwitchView
from netdesign.lossless.choice import number
from netdesign.lossless.remarks import size_words

_SIZES = {
    "BUFFER_POOL": ("size", "xoff"),
    "BUFFER_PROFILE": ("size", "xon", "xoff", "xon_offset", "static_th"),
}
_KIB = 1024  # vendors round each size to it


def sizes_can_be_read(view: SwitchView) -> Iterator[Complaint]:
    for table, fields in _SIZES.items():
        for name, row in view.tables.table(table).items():
            for field in fields:
                value = number_of(row.get(field))
                if field in row and (value is None or value < 0):
                    yield error(
                        "value-not-allowed",
                        f"{field} is {quoted(row[field])}, which is no number of bytes",
                        "give whole bytes, 0 or more",
                        YANG,
                        f"{table} {name}",
                    )
    for name, row in view.tables.table("BUFFER_PROFILE").items():
        power = number_of(row.get("dynamic_th"))
        if "dynamic_th" in row and (power is None or abs(power) > HIGHEST_POWER):
            yield error(
                "value-not-allowed",
                f"dynamic_th is {quoted(row['dynamic_th'])}, which is no power of two",
                f"give {-HIGHEST_POWER} to {HIGHEST_POWER}; SONiC ships "
                f"{number('dynamic_threshold'):.0f} for lossless groups",
                YANG,
                f"BUFFER_PROFILE {name}",
            )


def pools_are_checked(view: SwitchView) -> Iterator[Complaint]:
    """Say so where nothing is known to hold a pool against."""
    sized = [name for name, row in view.tables.table("BUFFER_POOL").items() if "size" in row]
    if not sized:
        return
    if view.chip is None:
        yield note(
            "pools-not-checked",
            "chip unknown: pools not checked against its buffer",
            "name the chip with --chip, or check the whole config_db.json, whose platform tells it",
            TEMPLATES,
            *sized,
        )
    elif view.chip.buffer_bytes is None:
        yield note(
            "pools-not-checked",
            f"the buffer of {view.chip.name} is not published: pools not checked against it",
            "compare them with the vendor's data sheet",
            TEMPLATES,
            *sized,
        )


def pool_holds_a_frame_for_each_group(view: SwitchView) -> Iterator[Complaint]:
    for name, groups in view.groups_of_pool.items():
        shared = view.shared(name)
        if shared is None or shared < 0 or shared >= groups * view.frame:
            continue
        yield error(
            "pool-too-small",
            f"the pool leaves {size_words(shared)} for {groups} lossless "
            f"group{'s' if groups != 1 else ''}, less than one frame of {size_words(view.frame)} "
            "for each: ports pause all the time",
            f"give it at least {size_words(groups * view.frame)} beside its headroom",
            JUDGEMENT,
            name,
        )


def group_leaves_something(view: SwitchView) -> Iterator[Complaint]:
    """Beyond the share of the DCQCN paper one port takes the pool from the others."""
    most = number("paper_beta")
    for profile in _lossless_profiles(view):
        power, fixed = (
            number_of(profile.row.get("dynamic_th")),
            number_of(profile.row.get("static_th")),
        )
        shared = view.shared(profile.pool)
        if fixed is None and power is not None and abs(power) <= HIGHEST_POWER:
            if 2.0**power > most:
                share = 2.0**power / (1 + 2.0**power)
                yield warning(
                    "one-group-takes-the-pool",
                    f"dynamic_th {power:g} lets one lossless group fill {share:.1%} of the pool "
                    "before it pauses: the other ports are left with next to nothing",
                    f"give {number('dynamic_threshold'):.0f}, which SONiC ships: half of the pool "
                    "for one alone",
                    PAPER,
                    f"BUFFER_PROFILE {profile.name}",
                )
        elif fixed is not None and shared and fixed > shared * most / (1 + most):
            yield warning(
                "one-group-takes-the-pool",
                f"static_th {size_words(fixed)} lets one lossless group fill "
                f"{min(fixed / shared, 1):.1%} of the pool before it pauses: the other ports are "
                "left with next to nothing",
                f"give at most {size_words(shared / 2)}, half of the pool",
                PAPER,
                f"BUFFER_PROFILE {profile.name}",
            )


def pause_ends_below_where_it_begins(view: SwitchView) -> Iterator[Complaint]:
    for profile in _lossless_profiles(view):
        xon, xoff = number_of(profile.row.get("xon")), profile.xoff
        size = number_of(profile.row.get("size"))
        if xon is None or xoff is None or xon <= 0:
            continue
        place = f"BUFFER_PROFILE {profile.name}"
        held = (size or 0.0) + (xoff if not size or _shares(view, profile) else 0.0)
        if xon > held:
            yield error(
                "resumes-above-the-buffer",
                f"xon {size_words(xon)} is more than the {size_words(held)} that the group holds: "
                "the pause ends while its buffer is full",
                f"give xon at most {max(held - xoff, 0):,.0f} B, which leaves the headroom free",
                HEADROOM,
                place,
            )
        elif size and size >= xoff and not _shares(view, profile) and xon + xoff > size + _KIB:
            yield error(
                "resumes-above-the-pause",
                f"a pause begins at {size_words(size - xoff)} (size less xoff) and ends at xon "
                f"{size_words(xon)}, above it: the port resumes with less headroom than it needs",
                f"give xon at most {size - xoff:,.0f} B, or size at least {xon + xoff:,.0f} B",
                HEADROOM,
                place,
            )


def _shares(view: SwitchView, profile: Profile) -> bool:
    """Whether xoff is taken from a pool of all groups, and so is no part of the size."""
    pool = view.tables.table("BUFFER_POOL").get(profile.pool, {})
    return bool(number_of(pool.get("xoff")))


def _lossless_profiles(view: SwitchView) -> list[Profile]:
    """Profiles with headroom that some group uses, each once."""
    used = {
        profile.name: profile for port in view.ports for profile in port.lossless_groups.values()
    }
    return list(used.values())


def exit_drops_nothing(view: SwitchView) -> Iterator[Complaint]:
    """A queue at the exit must hold what the entrances may let in before they pause."""
    profiles = view.tables.table("BUFFER_PROFILE")
    for port in view.pausing:
        queues = view.tables.egress.get(port.name, {})
        for priority in sorted(port.paused):
            queue, group = port.queue_for(priority), port.group_for(priority)
            name = queues.get(-1 if queue is None else queue, "")
            if not name and view.tables.has("BUFFER_QUEUE"):
                yield warning(
                    "egress-not-set",
                    f"BUFFER_QUEUE names no profile for lossless queue {queue}: the switch takes "
                    "a default, which may drop",
                    "bind egress_lossless_profile to the queue in BUFFER_QUEUE",
                    TEMPLATES,
                    port.name,
                )
            row = profiles.get(name)
            entrance = port.lossless_groups.get(-1 if group is None else group)
            if row is None or entrance is None or "lossy" in name.lower():
                continue
            yield from _exit_of(view, port.name, Profile(name, row), entrance)


def _exit_of(
    view: SwitchView, port: str, leaving: Profile, entrance: Profile
) -> Iterator[Complaint]:
    limit, alone = view.pause_alone(leaving), view.pause_alone(entrance)
    if limit is None or alone is None:
        yield from _weaker_exit(port, leaving, entrance)
        return
    shared = view.shared(entrance.pool)
    written = _limit_words(leaving.row)
    if limit < alone:
        yield error(
            "egress-drops-before-pause",
            f"the lossless queue drops beyond {size_words(limit)} ({written}), and one entrance "
            f"pauses only at {size_words(alone)}: packets are lost before anyone is asked to pause",
            f"let the profile of the queue hold the whole pool: dynamic_th "
            f"{number('egress_threshold'):.0f}, or static_th of the size of the pool",
            TEMPLATES,
            port,
        )
    elif shared is not None and limit < shared * _least_share():
        yield warning(
            "egress-drops-under-incast",
            f"the lossless queue drops beyond {size_words(limit)} ({written}), and the entrances "
            f"together hold up to {size_words(shared)}: many senders to one port lose packets",
            f"let the profile of the queue hold the whole pool: dynamic_th "
            f"{number('egress_threshold'):.0f}, or static_th of the size of the pool",
            TEMPLATES,
            port,
        )


def _least_share() -> float:
    """Of what the entrances hold, what the shipped threshold of an exit leaves at least."""
    alpha = float(2.0 ** number("egress_threshold"))
    return alpha / (1 + alpha)


def _limit_words(row: Row) -> str:
    field = "static_th" if "static_th" in row else "dynamic_th"
    return f"{field} {quoted(row.get(field, ''))}"


def _weaker_exit(port: str, leaving: Profile, entrance: Profile) -> Iterator[Complaint]:
    """Where the sizes of pools are not in the file, the thresholds are compared."""
    out, into = (number_of(each.row.get("dynamic_th")) for each in (leaving, entrance))
    if out is not None and into is not None and out < into:
        yield error(
            "egress-drops-before-pause",
            f"the lossless queue has dynamic_th {out:g} and the entrance {into:g}: the queue drops "
            "before the entrance pauses",
            f"give the profile of the queue dynamic_th {number('egress_threshold'):.0f}",
            TEMPLATES,
            port,
        )


def profiles_are_in_pools_of_their_side(view: SwitchView) -> Iterator[Complaint]:
    pools = view.tables.table("BUFFER_POOL")
    profiles = view.tables.table("BUFFER_PROFILE")
    for table, wrong, right in (
        ("BUFFER_PG", "egress", "ingress"),
        ("BUFFER_QUEUE", "ingress", "egress"),
    ):
        bound = view.tables.groups if table == "BUFFER_PG" else view.tables.egress
        used = dict.fromkeys(name for numbers in bound.values() for name in numbers.values())
        for name in used:
            pool = Profile(name, profiles.get(name, {})).pool
            if pools.get(pool, {}).get("type") == wrong:
                yield error(
                    "pool-of-the-other-side",
                    f"{table} uses a profile whose pool {quoted(pool)} is an {wrong} pool",
                    f"name an {right} pool in the profile",
                    YANG,
                    f"BUFFER_PROFILE {name}",
                )


BUFFER_RULES = (
    sizes_can_be_read,
    pools_are_checked,
    pool_holds_a_frame_for_each_group,
    group_leaves_something,
    pause_ends_below_where_it_begins,
    exit_drops_nothing,
    profiles_are_in_pools_of_their_side,
)
