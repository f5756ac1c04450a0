"""What LLDP tables say: who is at the other end of each port."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, slots=True)
class Neighbour:
    """One entry of a table: a port and what it hears."""

    local_device: str  # "" where the file does not say whose table it is
    local_port: str
    remote_device: str  # system name, else chassis id; "" where neither is told
    remote_port: str  # port id as told, without quotes; "" where it is not told
    line: int
    dump: int = 0  # number of the table in the file, 0 and up
    chassis: str = ""
    port_description: str = ""
    system_description: str = ""
    capabilities: tuple[str, ...] | None = None  # enabled ones; None where the form has none
    speed: str = ""
    management_address: str = ""


@dataclass(frozen=True, slots=True)
class Dump:
    """One table or one command's answer."""

    form: str  # "SONiC table", "lldpctl", "EOS detail", ...
    local_device: str  # "" where unknown, or where each row names its own
    line: int
    interfaces: tuple[str, ...] = ()  # all that are listed, also those without a neighbour
    total: int | None = None  # entries as the device itself counts them


@dataclass(frozen=True)
class LldpContent:
    """All tables of a file."""

    dumps: tuple[Dump, ...] = ()
    neighbours: tuple[Neighbour, ...] = ()
    unplaced: tuple[Neighbour, ...] = ()  # the file does not say on which port they are heard
    left_out: int = 0  # entries beyond the number that is kept
    cut_lines: tuple[int, ...] = ()  # numbers of lines that were too long to be read whole

    @cached_property
    def only_unplaced(self) -> tuple[Neighbour, ...]:
        """Those of ``unplaced`` that no other table has with a port."""
        known = {
            (row.remote_port, name)
            for row in self.neighbours
            for name in (row.remote_device.partition(".")[0], row.chassis)
        }
        return tuple(
            row
            for row in self.unplaced
            if (row.remote_port, row.remote_device.partition(".")[0]) not in known
            and (row.remote_port, row.chassis) not in known
        )

    @cached_property
    def interfaces(self) -> frozenset[tuple[str, str]]:
        """(device, port) of every interface that is listed."""
        listed = {(dump.local_device, name) for dump in self.dumps for name in dump.interfaces}
        return frozenset(listed | {(row.local_device, row.local_port) for row in self.neighbours})
