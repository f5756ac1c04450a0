"""Rules about the PFC watchdog: is it started on every lossless priority, and what does it do?"""

from __future__ import annotations

from collections.abc import Iterator

from netdesign.audit.sonic_complaint import (
    PFCWD,
    YANG,
    Complaint,
    error,
    listed,
    quoted,
    warning,
)
from netdesign.audit.sonic_tables import Row, number_of
from netdesign.audit.sonic_view import SwitchView

_WATCHDOG_MS = {"detection_time": (100, 5000), "restoration_time": (100, 60_000)}
_POLL_MS = (100, 1000)
_ACTIONS = ("drop", "forward", "alert")
_GLOBAL = "GLOBAL"


def watchdog_is_on(view: SwitchView) -> Iterator[Complaint]:
    device = view.tables.table("DEVICE_METADATA").get("localhost", {})
    by_default = device.get("default_pfcwd_status", "") == "enable"
    rows = view.tables.table("PFC_WD")
    for port in view.pausing:
        unwatched = port.paused - port.watched
        row = rows.get(port.name)
        if unwatched:
            yield warning(
                "watchdog-off",
                f"no watchdog looks at priority {listed(unwatched)}: one broken adapter that keeps "
                "pausing stalls the fabric",
                "put the same priorities into pfcwd_sw_enable as into pfc_enable",
                PFCWD,
                port.name,
            )
        elif row is None and not by_default:
            yield warning(
                "watchdog-not-started",
                "PFC_WD has no row for the port: the watchdog is not started",
                "pfcwd start_default, or a row with action, detection_time and restoration_time",
                PFCWD,
                port.name,
            )
        elif row is not None and "detection_time" not in row:
            yield warning(
                "watchdog-not-started",
                "the row in PFC_WD gives no detection_time: the watchdog is not started",
                "pfcwd start_default, or give detection_time and restoration_time in ms",
                PFCWD,
                port.name,
            )


def watchdog_drops(view: SwitchView) -> Iterator[Complaint]:
    rows = view.tables.table("PFC_WD")
    for port in view.pausing:
        action = rows.get(port.name, {}).get("action", "drop").strip().lower()
        if action == "forward":
            yield warning(
                "watchdog-forwards",
                "in a storm the watchdog forwards into congestion: the queue no longer heeds "
                "pauses and is no longer lossless",
                "set the action to drop, which clears the stuck queue",
                PFCWD,
                port.name,
            )
        elif action == "alert":
            yield warning(
                "watchdog-only-reports",
                "in a storm the watchdog writes to the log and does nothing: one broken adapter "
                "that keeps pausing stalls the fabric",
                "set the action to drop",
                PFCWD,
                port.name,
            )


def watchdog_can_be_set(view: SwitchView) -> Iterator[Complaint]:
    rows = view.tables.table("PFC_WD")
    poll_text = rows.get(_GLOBAL, {}).get("POLL_INTERVAL")
    poll = number_of(poll_text)
    if poll_text is not None and (poll is None or not _POLL_MS[0] <= poll <= _POLL_MS[1]):
        yield error(
            "value-not-allowed",
            f"the watchdog polls every {quoted(poll_text)} ms",
            f"give {_POLL_MS[0]} to {_POLL_MS[1]} ms",
            YANG,
            "PFC_WD GLOBAL",
        )
    for port, row in rows.items():
        if port != _GLOBAL:
            yield from _row_can_be_set(port, row, poll)


def _row_can_be_set(port: str, row: Row, poll: float | None) -> Iterator[Complaint]:
    if "action" in row and row["action"].strip().lower() not in _ACTIONS:
        yield error(
            "value-not-allowed",
            f"{quoted(row['action'])} is no action of the watchdog",
            "write drop",
            YANG,
            port,
        )
    for field, (low, high) in _WATCHDOG_MS.items():
        if field not in row:
            continue
        value = number_of(row[field])
        if value is None or not low <= value <= high:
            yield error(
                "value-not-allowed",
                f"{field} of the watchdog is {quoted(row[field])}",
                f"give {low} to {high} ms",
                YANG,
                port,
            )
        elif poll is not None and value < poll:
            yield error(
                "watchdog-faster-than-its-poll",
                f"{field} is {value:g} ms and the watchdog polls every {poll:g} ms",
                f"give at least {poll:g} ms",
                YANG,
                port,
            )


WATCHDOG_RULES = (watchdog_is_on, watchdog_drops, watchdog_can_be_set)
