"""Rules about ECN marking: does a lossless queue mark, from where on, and before it pauses?"""

from __future__ import annotations

from collections.abc import Iterator

from netdesign.audit.sonic_complaint import (
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
from netdesign.audit.sonic_ports import PortView
from netdesign.audit.sonic_tables import Row, number_of
from netdesign.audit.sonic_view import SwitchView
from netdesign.lossless.remarks import size_words

_MARKS_NOTHING = ("", "ecn_none")
_COLOURS = ("green", "yellow", "red")
_MODES = (
    "ecn_none",
    "ecn_all",
    *(f"ecn_{each}" for each in _COLOURS),
    "ecn_green_yellow",
    "ecn_green_red",
    "ecn_yellow_red",
)
_WITHOUT_GREEN = ("ecn_yellow", "ecn_red", "ecn_yellow_red")


def pause_is_marked_before(view: SwitchView) -> Iterator[Complaint]:
    if not view.tables.has("QUEUE"):
        if view.pausing:
            yield note(
                "queues-not-in-the-file",
                "the file has no QUEUE: whether lossless queues mark is not checked",
                "check the whole config_db.json",
                YANG,
            )
        return
    for port in view.pausing:
        for priority in sorted(port.paused):
            queue = port.queue_for(priority)
            if queue is not None:
                yield from _marking_of(view, port, priority, queue)


def _marking_of(view: SwitchView, port: PortView, priority: int, queue: int) -> Iterator[Complaint]:
    found = view.marking(port, queue)
    if found is None or found[1].get("ecn", "").strip() in _MARKS_NOTHING:
        yield warning(
            "ecn-off",
            f"lossless queue {queue} does not mark: congestion is answered by pausing alone, "
            "which spreads to ports that did nothing",
            "give the queue a wred_profile with ecn_all, unless the library paces its senders",
            TEMPLATES,
            port.name,
        )
        return
    name, row = found
    yield from _green(port, name, row)
    begins = number_of(row.get("ecn_green_min_threshold") or row.get("green_min_threshold"))
    if begins is None:
        yield error(
            "marks-nowhere",
            f"WRED profile {quoted(name)} marks and says not from which queue on",
            "give green_min_threshold and green_max_threshold",
            YANG,
            port.name,
        )
        return
    if begins < view.frame:
        yield warning(
            "marks-every-packet",
            f"marking begins at {size_words(begins)}, less than one frame of "
            f"{size_words(view.frame)}: every packet that waits is marked, and senders slow down "
            "without congestion",
            "begin at several frames, e.g. at the size in a recommendation of netdesign lossless",
            JUDGEMENT,
            port.name,
        )
    full = number_of(row.get("ecn_green_max_threshold") or row.get("green_max_threshold"))
    yield from _before_the_pause(view, port, priority, begins, full)


def _green(port: PortView, name: str, row: Row) -> Iterator[Complaint]:
    """Packets are green unless a policer colours them."""
    on = row.get("wred_green_enable", "").strip().lower()
    if row.get("ecn", "").strip() in _WITHOUT_GREEN:
        yield warning(
            "green-is-not-marked",
            f"WRED profile {quoted(name)} marks {quoted(row['ecn'].strip())}, and packets are "
            "green unless a policer colours them: nothing is marked",
            "write ecn_all",
            YANG,
            port.name,
        )
    elif on != "true":
        said = f"has wred_green_enable {quoted(on)}" if on else "does not set wred_green_enable"
        yield warning(
            "green-is-not-marked",
            f"WRED profile {quoted(name)} {said}, and packets are green unless a policer colours "
            "them: nothing is marked",
            "set wred_green_enable to true",
            YANG,
            port.name,
        )
    chance = number_of(row.get("green_drop_probability"))
    if chance == 0:
        yield warning(
            "marks-never",
            f"WRED profile {quoted(name)} marks with probability 0 between its thresholds: "
            "senders hear nothing before the queue is at the upper one",
            "give green_drop_probability 1 to 100; SONiC ships 5",
            TEMPLATES,
            port.name,
        )


def _before_the_pause(
    view: SwitchView, port: PortView, priority: int, begins: float, full: float | None
) -> Iterator[Complaint]:
    group = port.group_for(priority)
    profile = port.lossless_groups.get(-1 if group is None else group)
    if profile is None:
        return
    alone, bound = view.pause_alone(profile), view.mark_bound(profile)
    if alone is not None and begins >= alone:
        yield error(
            "marks-after-pause",
            f"marking begins at {size_words(begins)} and the port pauses at {size_words(alone)} "
            "even when nothing else is congested: senders never slow down",
            f"begin below {size_words(bound if bound is not None else alone)}",
            PAPER,
            port.name,
        )
    elif bound is not None and begins >= bound:
        yield warning(
            "marks-after-pause-when-busy",
            f"marking begins at {size_words(begins)}; when all lossless groups fill at once a port "
            f"pauses before that, from {size_words(bound)}",
            f"begin below {size_words(bound)}, or accept pauses under many-to-many bursts",
            PAPER,
            port.name,
        )
    if alone is not None and full is not None and begins < alone <= full:
        yield warning(
            "marks-fully-after-pause",
            f"marking is full only at {size_words(full)} and the port pauses at "
            f"{size_words(alone)} even when nothing else is congested: senders hear little before",
            f"let green_max_threshold be below {size_words(alone)}",
            PAPER,
            port.name,
        )


def marking_can_be_set(view: SwitchView) -> Iterator[Complaint]:
    for name, row in view.tables.table("WRED_PROFILE").items():
        if row.get("ecn", "ecn_none") not in _MODES:
            yield error(
                "value-not-allowed",
                f"{quoted(row['ecn'])} is no mode of ECN",
                "write ecn_all",
                YANG,
                f"WRED_PROFILE {name}",
            )
        for colour in _COLOURS:
            yield from _colour_can_be_set(name, row, colour)


def _colour_can_be_set(name: str, row: Row, colour: str) -> Iterator[Complaint]:
    place = f"WRED_PROFILE {name}"
    low = number_of(row.get(f"{colour}_min_threshold"))
    high = number_of(row.get(f"{colour}_max_threshold"))
    if low is not None and high is not None and low > high:
        yield error(
            "thresholds-cross",
            f"{colour}: marking begins at {size_words(low)} and is full at {size_words(high)}",
            "let the minimum be at most the maximum",
            YANG,
            place,
        )
    for end in ("min", "max"):
        given = row.get(f"{colour}_{end}_threshold")
        value = number_of(given)
        if given is not None and (value is None or value < 0):
            yield error(
                "value-not-allowed",
                f"{colour}: {quoted(given)} is no threshold in bytes",
                "give whole bytes",
                YANG,
                place,
            )
    chance = row.get(f"{colour}_drop_probability")
    value = number_of(chance)
    if chance is not None and (value is None or not 0 <= value <= 100):
        yield error(
            "value-not-allowed",
            f"{colour}: {quoted(chance)} is no probability in percent",
            "give 0 to 100",
            YANG,
            place,
        )


MARKING_RULES = (pause_is_marked_before, marking_can_be_set)
