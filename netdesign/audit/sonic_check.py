"""What makes a SONiC configuration lose or stall RoCE traffic: ``check_sonic``.

Each remark says what is wrong, at which ports, what would be right and who says so. Errors lose or
stall traffic; warnings may; notes are worth knowing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from netdesign.audit.sonic_buffer_rules import BUFFER_RULES
from netdesign.audit.sonic_class_rules import CLASS_RULES
from netdesign.audit.sonic_complaint import Complaint
from netdesign.audit.sonic_marking_rules import MARKING_RULES
from netdesign.audit.sonic_pool_rules import POOL_RULES
from netdesign.audit.sonic_port_rules import PORT_RULES
from netdesign.audit.sonic_ports import port_views
from netdesign.audit.sonic_tables import SonicTables, read_sonic, sonic_from_bytes
from netdesign.audit.sonic_value_rules import VALUE_RULES
from netdesign.audit.sonic_view import SwitchView, platform_chip
from netdesign.audit.sonic_watchdog_rules import WATCHDOG_RULES
from netdesign.catalog import data_directory
from netdesign.catalog.switch_chips import (
    SwitchChip,
    chip_named,
    switch_chips,
)
from netdesign.lossless import LosslessPlan
from netdesign.network.lossless.remark import Remark, worst_first
from netdesign.network.lossless.traffic_class import traffic_class as class_of
from netdesign.wording import printable

__all__ = ["check_sonic", "read_sonic", "sonic_from_bytes"]

Rule = Callable[[SwitchView], Iterator[Complaint]]
RULES: tuple[Rule, ...] = (
    *PORT_RULES,
    *MARKING_RULES,
    *WATCHDOG_RULES,
    *CLASS_RULES,
    *BUFFER_RULES,
    *POOL_RULES,
    *VALUE_RULES,
)
_SHOWN_PORTS = 3


@dataclass
class _Merged:
    complaint: Complaint
    places: dict[str, None] = field(default_factory=dict)


def check_sonic(
    tables: SonicTables,
    *,
    plan: LosslessPlan | None = None,
    chip: str | None = None,
    traffic_class: int | None = None,
) -> tuple[Remark, ...]:
    """Everything there is to say about a configuration, worst first.

    Parameters
    ----------
    tables : SonicTables            of one switch
    plan : LosslessPlan or None     of the design that it must serve: cables, chip, MTU, class
    chip : str or None              id or name of the switch chip; that of the plan, else that of
                                    the platform in DEVICE_METADATA, if None
    traffic_class : int or None     the byte of NCCL_IB_TC; that of the plan if None

    Raises
    ------
    DesignError     for a chip that is not known or a class that is no byte
    """
    byte = plan.traffic_class.byte if plan is not None and traffic_class is None else traffic_class
    view = SwitchView(
        tables=tables,
        ports=port_views(tables),
        plan=plan,
        chip=_chip(tables, plan, chip),
        traffic_class=None if byte is None else class_of(byte),
    )
    merged: dict[tuple[str, str], _Merged] = {}
    for rule in RULES:
        for complaint in rule(view):
            key = (complaint.code, complaint.sentence)
            entry = merged.setdefault(key, _Merged(complaint))
            entry.places |= dict.fromkeys(complaint.places)
    return worst_first([_remark(entry) for entry in merged.values()])


def _chip(tables: SonicTables, plan: LosslessPlan | None, name: str | None) -> SwitchChip | None:
    if name:
        return chip_named(switch_chips(data_directory()), name)
    return platform_chip(tables) if plan is None else plan.chip


def _remark(entry: _Merged) -> Remark:
    complaint, places = entry.complaint, list(entry.places)
    where = ", ".join(place[:_LONGEST_PLACE] for place in places[:_SHOWN_PORTS])
    if len(places) > _SHOWN_PORTS:
        where += f" and {len(places) - _SHOWN_PORTS:,} more"
    return Remark(
        complaint.code,
        complaint.severity,
        complaint.sentence,
        complaint.fix,
        complaint.source,
        printable(where),
        complaint.grade,
    )


_LONGEST_PLACE = 60
