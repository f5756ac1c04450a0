"""Rules about single values: numbers, ranges and rows without which the others cannot be judged."""

from __future__ import annotations

from collections.abc import Iterator

from netdesign.audit.sonic_complaint import YANG, Complaint, error, quoted
from netdesign.audit.sonic_ports import Profile
from netdesign.audit.sonic_tables import Row, number_of
from netdesign.audit.sonic_view import SwitchView
from netdesign.lossless.remarks import size_words

_HIGHEST_CODE_POINT, _HIGHEST_CLASS, _HIGHEST_QUEUE = 63, 7, 63
# Highest number of the key and of the value.
_MAPS = {
    "DSCP_TO_TC_MAP": (_HIGHEST_CODE_POINT, _HIGHEST_CLASS),
    "TC_TO_PRIORITY_GROUP_MAP": (_HIGHEST_CLASS, _HIGHEST_CLASS),
    "TC_TO_QUEUE_MAP": (_HIGHEST_CLASS, _HIGHEST_QUEUE),
    "MAP_PFC_PRIORITY_TO_QUEUE": (_HIGHEST_CLASS, _HIGHEST_QUEUE),
    "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP": (_HIGHEST_CLASS, _HIGHEST_CLASS),
}
_RANGES = {
    "PORT": {"mtu": (68, 9216), "speed": (1, 10_000_000)},
    "LOSSLESS_TRAFFIC_PATTERN": {"mtu": (64, 9216), "small_packet_percentage": (0, 100)},
}
_WORDS: dict[str, dict[str, tuple[str, ...]]] = {
    "BUFFER_POOL": {"type": ("ingress", "egress", "both"), "mode": ("dynamic", "static")},
    "SCHEDULER": {"type": ("DWRR", "WRR", "STRICT")},
}
_COMPLETE = ("BUFFER_POOL",)  # a scheduler may only limit a port, and has no type then
_SWITCHES = ("wred_green_enable", "wred_yellow_enable", "wred_red_enable")
_THRESHOLDS = ("dynamic_th", "static_th")


def maps_can_be_read(view: SwitchView) -> Iterator[Complaint]:
    for table, (highest_key, highest) in _MAPS.items():
        for name, row in view.tables.table(table).items():
            for key, value in row.items():
                if not _is_whole(key, highest_key) or not _is_whole(value, highest):
                    yield error(
                        "value-not-allowed",
                        f"{quoted(key)} is mapped to {quoted(value)}",
                        f"map 0 to {highest_key} to 0 to {highest}",
                        YANG,
                        f"{table} {name}",
                    )


def _is_whole(text: str, highest: int) -> bool:
    value = number_of(text)
    return value is not None and value == int(value) and 0 <= value <= highest


def values_are_in_range(view: SwitchView) -> Iterator[Complaint]:
    for table, fields in _RANGES.items():
        for name, row in view.tables.table(table).items():
            for field, (low, high) in fields.items():
                value = number_of(row.get(field))
                if field in row and (value is None or not low <= value <= high):
                    yield error(
                        "value-not-allowed",
                        f"{field} is {quoted(row[field])}",
                        f"give {low} to {high}",
                        YANG,
                        f"{table} {name}",
                    )


def words_can_be_read(view: SwitchView) -> Iterator[Complaint]:
    for table, fields in _WORDS.items():
        for name, row in view.tables.table(table).items():
            for field, words in fields.items():
                given = row.get(field)
                if given is None and table not in _COMPLETE:
                    continue
                if given not in words:
                    said = "is missing" if given is None else f"is {quoted(given)}"
                    yield error(
                        "value-not-allowed",
                        f"{field} {said}",
                        "write " + " or ".join(words),
                        YANG,
                        f"{table} {name}",
                    )
    for name, row in view.tables.table("WRED_PROFILE").items():
        yield from _switches(name, row)


def _switches(name: str, row: Row) -> Iterator[Complaint]:
    for field in _SWITCHES:
        if field in row and row[field].strip().lower() not in ("true", "false"):
            yield error(
                "value-not-allowed",
                f"{field} is {quoted(row[field])}: the switch drops the whole profile",
                "write true",
                YANG,
                f"WRED_PROFILE {name}",
            )


def profiles_are_whole(view: SwitchView) -> Iterator[Complaint]:
    """A profile in use names a pool and how much of it, and is no larger than it."""
    tables = view.tables
    used = {
        name: None
        for bound in (tables.groups, tables.egress)
        for numbers in bound.values()
        for name in numbers.values()
    }
    rows = tables.table("BUFFER_PROFILE")
    for name in used:
        row = rows.get(name)
        if row is None or row.get("headroom_type") == "dynamic":
            continue
        yield from _whole(view, Profile(name, row))


def _whole(view: SwitchView, profile: Profile) -> Iterator[Complaint]:
    place = f"BUFFER_PROFILE {profile.name}"
    if not profile.pool:
        yield error(
            "profile-without-a-pool",
            "the profile names no pool: the switch does not make it",
            "name the pool, e.g. ingress_lossless_pool or egress_lossless_pool",
            YANG,
            place,
        )
    if not any(profile.row.get(field, "").strip() for field in _THRESHOLDS):
        yield error(
            "profile-without-a-threshold",
            "the profile says neither dynamic_th nor static_th: how much of the pool a queue may "
            "take is left open",
            "give dynamic_th, or static_th in a static pool",
            YANG,
            place,
        )
    pool = number_of(view.tables.table("BUFFER_POOL").get(profile.pool, {}).get("size"))
    for field in ("size", "xoff"):
        held = number_of(profile.row.get(field))
        if pool and held is not None and held > pool:
            yield error(
                "group-larger-than-its-pool",
                f"{field} {size_words(held)} of one group is more than its whole pool, "
                f"{size_words(pool)}",
                f"give {field} at most {size_words(pool)}, and far less with many ports",
                YANG,
                place,
            )


VALUE_RULES = (
    maps_can_be_read,
    values_are_in_range,
    words_can_be_read,
    profiles_are_whole,
)
