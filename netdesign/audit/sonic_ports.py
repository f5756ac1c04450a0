"""What one port of a SONiC switch makes of a lossless class: priority, group, queue, buffer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from netdesign.audit.sonic_tables import (
    Row,
    SonicTables,
    classes_of,
    metres_of,
    number_of,
    reference,
)

_PROFILE_NAME = re.compile(r"pg_lossless_(\d{1,9})_(\d{1,9})m_profile")
DYNAMIC = "NULL"  # a profile that the buffer manager computes


@dataclass(frozen=True)
class Profile:
    """A buffer profile of a priority group."""

    name: str
    row: Row

    @property
    def is_lossless(self) -> bool:
        computed = self.name == DYNAMIC or self.row.get("headroom_type") == "dynamic"
        return computed or (number_of(self.row.get("xoff")) or 0) > 0

    @property
    def xoff(self) -> float | None:
        return number_of(self.row.get("xoff"))

    @property
    def pool(self) -> str:
        return reference(self.row.get("pool", ""))

    @property
    def made_for(self) -> tuple[float, float] | None:
        """Gb/s and metres that the name promises."""
        found = _PROFILE_NAME.fullmatch(self.name)
        return (int(found[1]) / 1000, float(found[2])) if found else None


@dataclass(frozen=True)
class PortView:
    """A port with its maps resolved."""

    name: str
    qos: Row
    port: Row
    paused: frozenset[int]  # priorities with PFC
    bad_list: str  # a list of priorities that cannot be read
    watched: frozenset[int]
    groups: Mapping[int, Profile]
    queues: Mapping[int, Row]
    length: float | None  # m
    group_of_priority: Row
    queue_of_priority: Row
    class_of_dscp: Row
    group_of_class: Row
    queue_of_class: Row

    @property
    def gbps(self) -> float | None:
        speed = number_of(self.port.get("speed"))
        return speed / 1000 if speed else None

    @property
    def lossless_groups(self) -> dict[int, Profile]:
        return {number: each for number, each in self.groups.items() if each.is_lossless}

    def group_for(self, priority: int) -> int | None:
        """Priority group that a priority pauses; its own number without a map."""
        return _mapped(self.group_of_priority, priority)

    def queue_for(self, priority: int) -> int | None:
        """Queue that a pause of this priority stops; its own number without a map."""
        return _mapped(self.queue_of_priority, priority)

    def priorities_for(self, group: int) -> set[int]:
        """Priorities with PFC that pause on behalf of a group."""
        return {each for each in self.paused if self.group_for(each) == group}

    def class_for(self, dscp: int) -> int | None:
        found = number_of(self.class_of_dscp.get(str(dscp)))
        return None if found is None else int(found)

    @property
    def routes(self) -> tuple[object, ...]:
        """What decides where a class goes; ports that agree in it are checked once."""
        maps = (
            self.class_of_dscp,
            self.group_of_class,
            self.queue_of_class,
            self.group_of_priority,
            self.queue_of_priority,
        )
        return (*(id(each) for each in maps), self.paused, frozenset(self.lossless_groups))


def _mapped(row: Row, number: int) -> int | None:
    if not row:
        return number
    found = number_of(row.get(str(number)))
    return None if found is None else int(found)


def port_views(tables: SonicTables) -> tuple[PortView, ...]:
    """Every port of the file."""
    profiles: dict[str, Profile] = {
        name: Profile(name, row) for name, row in tables.table("BUFFER_PROFILE").items()
    }
    profiles[DYNAMIC] = Profile(DYNAMIC, {})
    return tuple(_view(tables, name, profiles) for name in tables.ports)


def _view(tables: SonicTables, name: str, profiles: Mapping[str, Profile]) -> PortView:
    qos = tables.table("PORT_QOS_MAP").get(name, {})
    everywhere = tables.table("PORT_QOS_MAP").get("global", {})
    paused = classes_of(qos.get("pfc_enable", ""))
    watched = classes_of(qos.get("pfcwd_sw_enable", ""))
    bad = [
        field
        for field, read in (("pfc_enable", paused), ("pfcwd_sw_enable", watched))
        if read is None
    ]
    return PortView(
        name=name,
        qos=qos,
        port=tables.table("PORT").get(name, {}),
        paused=paused or frozenset(),
        bad_list=" and ".join(bad),
        watched=watched or frozenset(),
        groups={
            number: profiles[profile]
            for number, profile in tables.groups.get(name, {}).items()
            if profile in profiles
        },
        queues=tables.queues.get(name, {}),
        length=metres_of(tables.lengths.get(name, "")),
        group_of_priority=tables.map_named(
            "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", qos.get("pfc_to_pg_map")
        ),
        queue_of_priority=tables.map_named(
            "MAP_PFC_PRIORITY_TO_QUEUE", qos.get("pfc_to_queue_map")
        ),
        class_of_dscp=tables.map_named(
            "DSCP_TO_TC_MAP", qos.get("dscp_to_tc_map") or everywhere.get("dscp_to_tc_map")
        ),
        group_of_class=tables.map_named("TC_TO_PRIORITY_GROUP_MAP", qos.get("tc_to_pg_map")),
        queue_of_class=tables.map_named("TC_TO_QUEUE_MAP", qos.get("tc_to_queue_map")),
    )


def different(views: Iterable[PortView]) -> Iterator[tuple[PortView, list[str]]]:
    """One port of each kind of routes, and the names of all ports of that kind."""
    kinds: dict[tuple[object, ...], tuple[PortView, list[str]]] = {}
    for view in views:
        kinds.setdefault(view.routes, (view, []))[1].append(view.name)
    yield from kinds.values()
