"""What a server needs beside the compute fabric, and what else is plugged into those networks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import Field

from netdesign.catalog.tables import (
    Count,
    CountOrZero,
    Name,
    Part,
    Positive,
    Row,
    Table,
    keyed_rows,
    read_table,
)

SideRole = Literal["storage", "in-band", "out-of-band"]
SIDE_ROLES: tuple[SideRole, ...] = ("storage", "in-band", "out-of-band")


class SideNetworkRow(Row):
    """One network of one server: its ports, the switch, and the rules that size it."""

    server: Name
    role: SideRole
    carries: Literal["", "storage"] = ""  # what else runs on the same switches
    name: Name
    ports_per_server: Count
    port_gbps: Positive  # of the server; a slower switch port sets the speed of the link
    cage: str = ""  # form of the server's module; blank: not published
    switch: Name
    oversubscription: Positive
    equipment_oversubscription: Positive | None = None  # of leaves of their own; None: shared
    kept_share: Annotated[float, Field(ge=0, lt=1)] = 0.0  # of each switch's ports, kept empty
    leaf_multiple: Count = 1  # 2: leaves come in pairs
    top_groups: Count = 1  # 2: switches above the leaves come in two equal groups
    uplinks: Literal["needed", "all"] = "needed"  # all: leaves are cabled up in full at any fill
    unit_servers: CountOrZero = 0  # servers that have leaves of their own; 0: all share
    peer_links: CountOrZero = 0  # between the leaves where there is nothing above them
    switch_uplinks: CountOrZero = 0  # of each switch to the in-band network
    uplink_gbps: Positive | None = None
    equipment: str = ""  # rows of side_endpoints.csv


class SideEndpointRow(Part):
    """Devices that a cluster has beside its servers, and their ports to each network."""

    equipment: Name
    count: Count
    per_servers: CountOrZero  # so many for each started group of servers; 0: for the cluster
    storage_ports: CountOrZero
    in_band_ports: CountOrZero
    out_of_band_ports: CountOrZero

    def devices(self, servers: int) -> int:
        """How many of them a cluster of this many servers has."""
        return self.count * (-(-servers // self.per_servers) if self.per_servers else 1)

    def ports(self, role: SideRole) -> int:
        """Ports of one device to a network."""
        ports = {
            "storage": self.storage_ports,
            "in-band": self.in_band_ports,
            "out-of-band": self.out_of_band_ports,
        }
        return ports[role]


def read_side_networks(path: Path) -> Mapping[tuple[str, str], SideNetworkRow]:
    """Rows by server and role; none where the file is not there."""
    if not path.exists():
        return MappingProxyType({})
    rows = keyed_rows(path, SideNetworkRow, ("server", "role"))
    return MappingProxyType({(row.server, row.role): row for row in rows.values()})


def read_side_endpoints(path: Path) -> Table[SideEndpointRow]:
    """Rows by id; none where the file is not there."""
    if not path.exists():
        return Table({}, "side endpoint")
    return read_table(path, SideEndpointRow, "side endpoint")
