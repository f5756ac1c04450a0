"""Reading a stranger's config_db.json: bounded, without surprises, into rows of text.

Only the tables of quality of service are kept. Anything that is no table, row or plain value is
left out and told, never trusted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from netdesign.errors import DesignError, shown

LARGEST_FILE_BYTES = 8_000_000
MOST_PORTS = 20_000
MOST_ENTRIES = 500_000  # of ports times groups or queues
HIGHEST_QUEUE = 63
TABLES = (
    "PORT",
    "CABLE_LENGTH",
    "LOSSLESS_TRAFFIC_PATTERN",
    "BUFFER_POOL",
    "BUFFER_PROFILE",
    "BUFFER_PG",
    "BUFFER_QUEUE",
    "DSCP_TO_TC_MAP",
    "TC_TO_PRIORITY_GROUP_MAP",
    "TC_TO_QUEUE_MAP",
    "MAP_PFC_PRIORITY_TO_QUEUE",
    "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP",
    "PORT_QOS_MAP",
    "WRED_PROFILE",
    "SCHEDULER",
    "QUEUE",
    "PFC_WD",
    "DEVICE_METADATA",
)
Row = Mapping[str, str]
_NOTHING: Row = {}
_SPAN = re.compile(r"(\d{1,2})(?:-(\d{1,2}))?")
_CLASSES = re.compile(r"([0-7](,[0-7])*)?")
_METRES = re.compile(r"(\d{1,9})m")
_REFERENCE = re.compile(r"\[[A-Z_]+\|([^\]|]+)\]")
_DIGITS = re.compile(r"-?\d{1,18}(\.\d{1,9})?")


@dataclass(frozen=True)
class SonicTables:
    """The tables of one switch, and what of the file could not be read."""

    tables: Mapping[str, Mapping[str, Row]]
    ignored: tuple[str, ...] = ()

    def table(self, name: str) -> Mapping[str, Row]:
        """Rows by key; empty if the file has no such table."""
        return self.tables.get(name, {})

    def has(self, name: str) -> bool:
        return name in self.tables

    def map_named(self, table: str, name: str | None) -> Row:
        """A map by its name, empty if there is none."""
        return self.table(table).get(reference(name or ""), _NOTHING)

    @cached_property
    def groups(self) -> Mapping[str, Mapping[int, str]]:
        """Profile of every priority group by port."""
        return self._by_port("BUFFER_PG", "profile")

    @cached_property
    def egress(self) -> Mapping[str, Mapping[int, str]]:
        """Buffer profile of every queue by port."""
        return self._by_port("BUFFER_QUEUE", "profile")

    @cached_property
    def queues(self) -> Mapping[str, Mapping[int, Row]]:
        """Row of QUEUE by port and queue."""
        found: dict[str, dict[int, Row]] = {}
        for port, number, row in self._expanded("QUEUE"):
            found.setdefault(port, {})[number] = row
        return found

    @cached_property
    def lengths(self) -> Mapping[str, str]:
        """Length of the cable by port, as written."""
        return {
            port: text for row in self.table("CABLE_LENGTH").values() for port, text in row.items()
        }

    @cached_property
    def ports(self) -> tuple[str, ...]:
        """Every port that some table names, in the order of the file."""
        names: dict[str, None] = {}
        names |= dict.fromkeys(self.table("PORT"))
        names |= dict.fromkeys(key for key in self.table("PORT_QOS_MAP") if key != "global")
        names |= dict.fromkeys(self.groups) | dict.fromkeys(self.queues)
        if len(names) > MOST_PORTS:
            raise DesignError("ports", len(names), "are too many", f"give up to {MOST_PORTS:,}")
        return tuple(name for name in names if name != "CPU")

    def _by_port(self, table: str, field: str) -> dict[str, dict[int, str]]:
        found: dict[str, dict[int, str]] = {}
        for port, number, row in self._expanded(table):
            found.setdefault(port, {})[number] = reference(row.get(field, ""))
        return found

    def _expanded(self, table: str) -> Iterator[tuple[str, int, Row]]:
        """Rows whose key is ports and a span of numbers: ``Ethernet0,Ethernet4|3-4``."""
        entries = 0
        for key, row in self.table(table).items():
            names, _, span = key.rpartition("|")
            numbers = span_of(span)
            ports = names.rpartition("|")[2]
            entries += (ports.count(",") + 1) * len(numbers)
            if entries > MOST_ENTRIES:
                raise DesignError(
                    table, None, "names too many ports and queues", f"up to {MOST_ENTRIES:,}"
                )
            for port in ports.split(","):
                for number in numbers:
                    yield port, number, row


def read_sonic(path: Path) -> SonicTables:
    """Read a configuration from a file.

    Raises
    ------
    DesignError     when it cannot be read, is too large or is not a configuration
    """
    try:
        with path.open("rb") as stream:
            content = stream.read(LARGEST_FILE_BYTES + 1)
    except OSError as error:
        reason = (error.strerror or "cannot be read").lower()
        raise DesignError(
            str(path), "file", f"cannot be read: {reason}", "check the path"
        ) from None
    return sonic_from_bytes(content, path.name)


def sonic_from_bytes(content: bytes, name: str = "config_db.json") -> SonicTables:
    """Read a configuration from bytes; see ``read_sonic``."""
    if len(content) > LARGEST_FILE_BYTES:
        limit = f"a configuration has under {LARGEST_FILE_BYTES // 1_000_000} MB"
        raise DesignError(name, f"{len(content)} bytes", "is too large", limit)
    try:
        tree = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        where = f"{name}, line {line}" if line else name
        raise DesignError(where, None, "is not JSON", "give a config_db.json") from None
    return sonic_from_tree(tree, name)


def sonic_from_tree(tree: Any, name: str = "config_db.json") -> SonicTables:
    """Keep what is a table of rows of plain values.

    Raises
    ------
    DesignError     when no table of quality of service is in it
    """
    if not isinstance(tree, Mapping) or not any(table in tree for table in TABLES):
        raise DesignError(
            name, None, "holds no table of SONiC's quality of service", "give a config_db.json"
        )
    ignored: list[str] = []
    tables = {table: _rows(tree[table], table, ignored) for table in TABLES if table in tree}
    return SonicTables(tables, tuple(ignored))


def _rows(given: Any, table: str, ignored: list[str]) -> dict[str, Row]:
    if not isinstance(given, Mapping):
        ignored.append(f"{table} is no table")
        return {}
    rows: dict[str, Row] = {}
    for key, row in given.items():
        if isinstance(row, Mapping):
            rows[str(key)] = {
                str(field): value if isinstance(value, str) else str(value)
                for field, value in row.items()
                if isinstance(value, str | int | float | bool)
            }
        else:
            ignored.append(f"{table}, {shown(str(key))} is no row")
    return rows


def reference(text: str) -> str:
    """The name in a reference: older files write ``[BUFFER_POOL|name]``."""
    found = _REFERENCE.fullmatch(text)
    return found[1] if found else text


def span_of(text: str) -> range:
    """Numbers of ``3`` or ``3-4``; none if it is neither."""
    found = _SPAN.fullmatch(text)
    if not found:
        return range(0)
    low = int(found[1])
    high = int(found[2]) if found[2] else low
    return range(low, min(high, HIGHEST_QUEUE) + 1)


def classes_of(text: str) -> frozenset[int] | None:
    """Priorities of ``3,4``; None if it is no such list."""
    plain = text.replace(" ", "")
    if len(plain) > 2 * HIGHEST_QUEUE or not _CLASSES.fullmatch(plain):
        return None
    return frozenset(int(each) for each in plain.split(",") if each)


def metres_of(text: str) -> float | None:
    """Metres of ``40m``; None where none is given."""
    found = _METRES.fullmatch(text.strip())
    return float(found[1]) if found and int(found[1]) > 0 else None


def number_of(text: str | None) -> float | None:
    """A plain number, or None."""
    return float(text) if text is not None and _DIGITS.fullmatch(text.strip()) else None
