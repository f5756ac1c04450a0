"""Rules about whole tables: pools against the chip, references, and values the schema forbids."""

from __future__ import annotations

import re
from collections.abc import Iterator

from netdesign.audit.sonic_complaint import (
    TEMPLATES,
    YANG,
    Complaint,
    error,
    note,
    quoted,
    warning,
)
from netdesign.audit.sonic_tables import metres_of, number_of, reference, span_of
from netdesign.audit.sonic_view import SwitchView, platform_chip
from netdesign.lossless.remarks import size_words

_REFERENCES = (
    ("BUFFER_PG", "profile", "BUFFER_PROFILE"),
    ("BUFFER_QUEUE", "profile", "BUFFER_PROFILE"),
    ("BUFFER_PROFILE", "pool", "BUFFER_POOL"),
    ("QUEUE", "wred_profile", "WRED_PROFILE"),
    ("QUEUE", "scheduler", "SCHEDULER"),
    ("PORT_QOS_MAP", "dscp_to_tc_map", "DSCP_TO_TC_MAP"),
    ("PORT_QOS_MAP", "tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP"),
    ("PORT_QOS_MAP", "tc_to_queue_map", "TC_TO_QUEUE_MAP"),
    ("PORT_QOS_MAP", "pfc_to_queue_map", "MAP_PFC_PRIORITY_TO_QUEUE"),
    ("PORT_QOS_MAP", "pfc_to_pg_map", "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP"),
)
_ROUNDING_BYTES = 1e5  # published buffers are rounded to 0.1 MB
_GROUP = re.compile(r"[0-7](-[0-7])?")


def chip_is_that_of_the_design(view: SwitchView) -> Iterator[Complaint]:
    told = platform_chip(view.tables)
    if told is not None and view.chip is not None and told.id != view.chip.id:
        yield warning(
            "another-chip",
            f"the platform of the file has {told.name}, and it is held against {view.chip.name}",
            "name the chip of the switch, or correct the design",
            TEMPLATES,
            "DEVICE_METADATA",
        )


def pool_is_in_the_chip(view: SwitchView) -> Iterator[Complaint]:
    pools = view.tables.table("BUFFER_POOL")
    ingress = {
        name: number_of(row.get("size")) or 0.0
        for name, row in pools.items()
        if row.get("type") == "ingress"
    }
    if view.chip is not None and view.chip.buffer_bytes is not None:
        buffer = view.chip.buffer_bytes
        limit = buffer + _ROUNDING_BYTES
        if sum(ingress.values()) > limit:
            yield error(
                "pool-larger-than-the-buffer",
                f"the ingress pools hold {size_words(sum(ingress.values()))} and "
                f"{view.chip.name} gives {size_words(buffer)}",
                f"take {size_words(sum(ingress.values()) - buffer)} off",
                TEMPLATES,
                *ingress,
            )
        for name, row in pools.items():
            held = number_of(row.get("size")) or 0.0
            if row.get("type") == "egress" and held > limit:
                yield error(
                    "pool-larger-than-the-buffer",
                    f"an egress pool holds {size_words(held)} and {view.chip.name} gives "
                    f"{size_words(buffer)}",
                    f"give at most {size_words(buffer)}",
                    TEMPLATES,
                    name,
                )
    for name, row in pools.items():
        size, xoff = number_of(row.get("size")), number_of(row.get("xoff"))
        inside = view.chip is not None and view.chip.pool_holds_headroom
        if inside and size is not None and xoff is not None and xoff > size:
            yield error(
                "headroom-larger-than-its-pool",
                f"the headroom of a pool, {size_words(xoff)}, is more than the pool, "
                f"{size_words(size)}",
                "lower xoff of the pool",
                TEMPLATES,
                name,
            )


def headroom_is_shared(view: SwitchView) -> Iterator[Complaint]:
    for name, needed in view.headroom_of_pool.items():
        row = view.tables.table("BUFFER_POOL").get(name, {})
        xoff = number_of(row.get("xoff"))
        if xoff and needed > xoff:
            yield note(
                "headroom-oversubscribed",
                f"the lossless groups may ask for {size_words(needed)} and share "
                f"{size_words(xoff)}, {needed / xoff:.2f} times as much: normal practice, because "
                "not every group pauses at once",
                "remember it when a lossless class drops",
                TEMPLATES,
                name,
            )
        size = number_of(row.get("size"))
        buffer = view.chip.buffer_bytes if view.chip is not None else None
        if (
            not xoff
            and size is not None
            and buffer is not None
            and needed + size > buffer + _ROUNDING_BYTES
        ):
            yield error(
                "headroom-does-not-fit",
                f"{size_words(needed)} of headroom beside a pool of {size_words(size)} is more "
                f"than the {size_words(buffer)} of the chip",
                f"a pool of at most {size_words(max(buffer - needed, 0))}, or share the headroom",
                TEMPLATES,
                name,
            )


def references_resolve(view: SwitchView) -> Iterator[Complaint]:
    for table, field, target in _REFERENCES:
        rows = view.tables.table(target)
        for key, row in view.tables.table(table).items():
            name = reference(row.get(field, ""))
            if not name or name in rows or (target == "BUFFER_PROFILE" and name == "NULL"):
                continue
            if view.tables.has(target):
                yield error(
                    "reference-to-nothing",
                    f"{table} names {quoted(name)}, and {target} has no such row",
                    f"add the row to {target} or correct {field}",
                    YANG,
                    key,
                )
            else:
                yield note(
                    "reference-outside-the-file",
                    f"{table} names rows of {target}, which the file does not hold",
                    "check the whole config_db.json",
                    YANG,
                )


def keys_can_be_read(view: SwitchView) -> Iterator[Complaint]:
    for table in ("BUFFER_PG", "BUFFER_QUEUE", "QUEUE"):
        for key in view.tables.table(table):
            span = key.rpartition("|")[2]
            good = _GROUP.fullmatch(span) if table == "BUFFER_PG" else span_of(span)
            if "|" not in key or not good:
                yield error(
                    "key-cannot-be-read",
                    f"{table} has a key that is no port and number",
                    "write Ethernet0|3 or Ethernet0|3-4",
                    YANG,
                    key,
                )
    for port, text in view.tables.lengths.items():
        if metres_of(text) is None and text not in ("None", "0m"):
            yield error(
                "value-not-allowed",
                f"{quoted(text)} is no length of a cable",
                "write whole metres, e.g. 40m",
                YANG,
                port,
            )


def everything_was_read(view: SwitchView) -> Iterator[Complaint]:
    for words in view.tables.ignored:
        yield warning(
            "part-not-read",
            f"a part of the file has the wrong form: {words}",
            "correct it; it was not checked",
            YANG,
        )


POOL_RULES = (
    chip_is_that_of_the_design,
    pool_is_in_the_chip,
    headroom_is_shared,
    references_resolve,
    keys_can_be_read,
    everything_was_read,
)
